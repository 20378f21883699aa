import { Button, Form, Table } from 'antd';
import { useState } from 'react';
import { configs, type Beta, type Config, type ConfigName, type GrayRelease } from '../../api/configs';
import { releases as api } from '../../api/releases';
import { Dialog } from '../../components/Dialog';
import { Beneath, Clip, Incomplete, TableScroll, useConfirm, useSingleAction } from '../../components/common';
import { moment, number, t } from '../../i18n';
import { useRemote } from '../../remote';
import { clientsText, ruleOf } from './Gray';
import { ReleaseClients } from './ReleaseClients';
import { draftOf, ShareField, usePreview } from './ReleaseTo';
import { Review } from './Review';

const EVERY_MILLIS = 5000;

/** The content for all and the release that replaces it, as they are compared. */
type Promotion = { now: Config; release: GrayRelease; content: string; encryptedDataKey: string };

/** The releases of a configuration with their rules, and the clients that have them. */
export function ReleaseList(props: {
  name: ConfigName;
  /** The content for all; undefined where there is none any more. */
  stored: Config | undefined;
  releases: GrayRelease[];
  mayWrite: boolean;
  /** Takes a release into the editor. */
  edit?: (release: Beta) => void;
  changed: () => void;
}) {
  const { name, releases } = props;
  const action = useSingleAction();
  const confirm = useConfirm();
  const [sharing, setSharing] = useState<GrayRelease>();
  const [promoting, setPromoting] = useState<Promotion>();
  const [busy, setBusy] = useState(false);
  const remote = useRemote(releases.length > 0 ? `releases ${JSON.stringify(name)}` : undefined, (signal) => configs.watchers(name, signal), {
    every: EVERY_MILLIS,
    live: { ...name, when: (event) => event.dataId === name.dataId && event.groupName === name.groupName },
  });
  if (releases.length === 0) return null;
  const have = (release: GrayRelease) => remote.data?.data.filter((watcher) => watcher.release === release.grayName && watcher.md5 === release.md5).length;

  const present = async (release: GrayRelease) => {
    const found = (await api.list(name)).find((each) => each.grayName === release.grayName);
    if (!found) throw new Error(t('The release {name} is gone.', { name: release.grayName }));
    return found;
  };
  const edit = (release: GrayRelease) =>
    action.run(async () => {
      const now = await present(release);
      props.edit?.(now);
    });
  const compare = (release: GrayRelease) =>
    action.run(async () => {
      const [now, found] = await Promise.all([configs.get(name), present(release)]);
      setPromoting({ now, release: found, content: found.content, encryptedDataKey: found.encryptedDataKey ?? '' });
    });
  const promote = ({ now, release, content, encryptedDataKey }: Promotion) =>
    action.run(async () => {
      setBusy(true);
      try {
        await configs.publish(
          name,
          { content, type: now.type ?? 'text', desc: now.desc ?? undefined, configTags: now.configTags ?? undefined, appName: now.appName ?? undefined, encryptedDataKey },
          { expectedMd5: now.md5 },
        );
        await api.remove(name, release.grayName);
      } finally {
        setBusy(false);
        setPromoting(undefined);
        props.changed();
      }
    }, t('Published'));
  const remove = (release: GrayRelease) =>
    confirm({
      title: t('Remove the release {name}?', { name: release.grayName }),
      text: <p>{t('Its clients get the content for all, or another release that matches them. The history keeps its versions.')}</p>,
      button: t('Remove'),
      danger: true,
      run: async () => {
        await action.run(() => api.remove(name, release.grayName), t('Release removed'));
        props.changed();
      },
    });

  return (
    <section className="panel" style={{ marginTop: 16 }} aria-label={t('Releases to some clients')}>
      <h2>{t('Releases to some clients')}</h2>
      <Incomplete nodes={remote.data?.silent ?? []} />
      <TableScroll>
        <Table<GrayRelease>
          size="small"
          rowKey="grayName"
          pagination={false}
          dataSource={releases}
          columns={[
            { title: t('Release'), render: (_, r) => <><Clip text={r.grayName} width={180} /><Beneath>{clientsText(r)} · {priorityText(r)}</Beneath></> },
            { title: t('Clients'), responsive: ['md'], render: (_, r) => <div className="wrap rule-words">{clientsText(r)}</div> },
            { title: t('Priority'), responsive: ['md'], align: 'right', render: (_, r) => <span className="nowrap">{priorityText(r)}</span> },
            { title: t('Have it'), align: 'right', render: (_, r) => { const n = have(r); return n === undefined ? '–' : number(n); } },
            { title: t('Changed'), responsive: ['xl'], render: (_, r) => <span className="nowrap">{moment(r.modifyTime)}</span> },
            {
              title: t('Actions'),
              align: 'right',
              hidden: !props.mayWrite,
              render: (_, r) => (
                <div className="row-actions">
                  {props.edit && <Button size="small" type="link" aria-label={t('Change {name}', { name: r.grayName })} onClick={() => void edit(r)}>{t('Change')}</Button>}
                  {props.stored && ruleOf(r).type === 'percentage' && (
                    <Button size="small" type="link" aria-label={t('Change the share of {name}', { name: r.grayName })} onClick={() => setSharing(r)}>{t('Change the share')}</Button>
                  )}
                  {props.stored && <Button size="small" type="link" aria-label={t('Publish to everyone: {name}', { name: r.grayName })} onClick={() => void compare(r)}>{t('Publish to everyone')}</Button>}
                  <Button size="small" type="link" danger aria-label={t('Remove {name}', { name: r.grayName })} onClick={() => remove(r)}>{t('Remove')}</Button>
                </div>
              ),
            },
          ]}
        />
      </TableScroll>
      {sharing && props.stored && <Share name={name} stored={props.stored} release={sharing} releases={releases} close={() => setSharing(undefined)} changed={props.changed} />}
      {promoting && (
        <Review
          title={t('Publish {name} to everyone?', { name: promoting.release.grayName })}
          stored={promoting.now}
          content={promoting.content}
          contentTitle={t('Release {name}', { name: promoting.release.grayName })}
          type={promoting.now.type ?? 'text'}
          releases={promoting.now.grayReleases?.filter((release) => release.grayName !== promoting.release.grayName)}
          same={t('The contents of the two are the same.')}
          okText={t('Publish to everyone')}
          busy={busy}
          publish={() => void promote(promoting)}
          close={() => setPromoting(undefined)}
        >
          <p className="muted" style={{ marginTop: 0 }}>{t('Its content becomes the stored version, and the release ends.')}</p>
        </Review>
      )}
    </section>
  );
}

/** Those of Nacos's own calls come before all others. */
function priorityText(release: GrayRelease): string {
  const { priority } = ruleOf(release);
  return priority >= 2147483646 ? t('highest') : number(priority);
}

/** Changes the share of a release, which keeps its content. */
function Share(props: { name: ConfigName; stored: Config; release: GrayRelease; releases: GrayRelease[]; close: () => void; changed: () => void }) {
  const { name, release } = props;
  const [draft, setDraft] = useState(() => draftOf(release));
  const [pageNo, setPageNo] = useState(1);
  const preview = usePreview(name, draft, pageNo);
  const action = useSingleAction();
  const publish = async () => {
    const done = await action.run(async () => {
      const now = (await api.list(name)).find((each) => each.grayName === release.grayName);
      if (!now) throw new Error(t('The release {name} is gone.', { name: release.grayName }));
      const { was, ...rule } = draft;
      await api.publish(name, rule, { content: now.content, type: props.stored.type ?? 'text', appName: now.appName ?? undefined, encryptedDataKey: now.encryptedDataKey ?? '' }, was);
    }, t('Share changed'));
    props.changed();
    if (done) props.close();
  };
  return (
    <Dialog
      title={t('Change the share of {name}', { name: release.grayName })}
      width="min(1100px, 96vw)"
      okText={t('Change the share')}
      okButtonProps={{ disabled: !preview.isCurrent }}
      cancelText={t('Cancel')}
      onOk={publish}
      onCancel={props.close}
    >
      <Form layout="vertical" component="div">
        <Form.Item label={t('Share of the clients in percent')} htmlFor="share" className="narrow" validateStatus={preview.problem && 'error'} help={preview.problem?.text}>
          <ShareField id="share" value={draft.grayRuleExp} onChange={(grayRuleExp) => { setDraft({ ...draft, grayRuleExp }); setPageNo(1); }} />
        </Form.Item>
      </Form>
      <ReleaseClients preview={preview} grayName={release.grayName} stored={props.stored} releases={props.releases} pageNo={pageNo} onPage={setPageNo} />
    </Dialog>
  );
}
