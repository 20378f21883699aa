import type { Diagnostic } from '@codemirror/lint';
import { Alert, Button, Input, Select, Space } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { configs, keyOf, type Beta, type Config, type ConfigName } from '../../api/configs';
import { ApiError } from '../../api/http';
import { releases } from '../../api/releases';
import { useAction, useConfirm } from '../../components/common';
import { canFormat, format } from '../../editor/format';
import { typeOf } from '../../editor/languages';
import { CodeEditor, loadDiff } from '../../editor/lazy';
import { asEdited, asStored, endsAlike, lineEndingOf } from '../../editor/lineEndings';
import { number, t } from '../../i18n';
import { checkOf, resourceOf } from '../../mesh';
import { useRemote } from '../../remote';
import { useGuard } from '../../router';
import { TypeChoice } from '../ConfigNew';
import { Collision } from './Collision';
import { clientsText, GrayNotices } from './Gray';
import { MeshProgress } from './MeshProgress';
import { ReleaseClients, summaryText } from './ReleaseClients';
import { ReleaseList } from './ReleaseList';
import { draftOf as releaseOf, ReleaseTo, usePreview, type ReleaseDraft } from './ReleaseTo';
import { Review, storedBy } from './Review';

type Draft = { content: string; type: string; desc: string; tags: string[]; app: string };

function draftOf(config: Config, dataId: string): Draft {
  return {
    content: config.content ?? '',
    type: config.type || typeOf(dataId) || 'text',
    desc: config.desc ?? '',
    tags: config.configTags ? config.configTags.split(',').filter(Boolean) : [],
    app: config.appName ?? '',
  };
}

const LOOK_AGAIN_MILLIS = 10_000;

/** Whether it says something else; of who stored it and when nothing is asked. */
function isOther(a: Config, b: Config): boolean {
  return a.md5 !== b.md5 || (['type', 'desc', 'configTags', 'appName'] as const).some((field) => (a[field] ?? '') !== (b[field] ?? ''));
}

/** Of what stands beside the content, mine where I changed it, else what is stored now. */
function besides(mine: Draft, was: Draft, now: Draft) {
  const chosen = <K extends keyof Draft>(field: K): Draft[K] => (JSON.stringify(mine[field]) === JSON.stringify(was[field]) ? now[field] : mine[field]);
  return { type: chosen('type'), desc: chosen('desc'), configTags: chosen('tags').join(','), appName: chosen('app') };
}

/** The content, edited against the version it was loaded as: a version that someone else stored meanwhile is never overwritten. */
export function EditTab(props: { stored: Config; name: ConfigName; mayWrite: boolean; changed: () => void }) {
  const { name } = props;
  const [base, setBase] = useState(props.stored);
  const [draft, setDraft] = useState(() => draftOf(props.stored, name.dataId));
  const [problems, setProblems] = useState<Diagnostic[]>([]);
  const [reviewing, setReviewing] = useState(false);
  const [theirs, setTheirs] = useState<Config>();
  const [busy, setBusy] = useState(false);
  const [release, setRelease] = useState<ReleaseDraft>();
  const [changing, setChanging] = useState<{ md5: string; content: string; encryptedDataKey?: string | null }>();
  const [pageNo, setPageNo] = useState(1);
  const preview = usePreview(name, props.mayWrite ? release : undefined, pageNo);
  const panel = useRef<HTMLDivElement>(null);
  const action = useAction();
  const confirm = useConfirm();

  const resource = resourceOf(name);
  const original = draftOf(base, name.dataId);
  const dirty = JSON.stringify(draft) !== JSON.stringify(original);
  const errors = problems.filter((problem) => problem.severity === 'error').length;
  useGuard(dirty || release ? t('Your changes are not published. Leave anyway?') : undefined);

  // Someone else's version is noticed while this one is being looked at, before anything is published.
  const latest = useRemote(JSON.stringify(name), (signal) => configs.get(name, signal), {
    every: LOOK_AGAIN_MILLIS,
    live: { ...name, when: (event) => event.kind === 'config' && event.dataId === name.dataId && event.groupName === name.groupName },
  });
  // What was read before this version was stored is not newer, nor is what this page is storing.
  const newer =
    latest.data && !busy && !theirs && latest.data.modifyTime >= base.modifyTime && isOther(latest.data, base) ? latest.data : undefined;
  const newest = latest.data && latest.data.modifyTime >= base.modifyTime ? latest.data : base;
  // While this page stores its own version, that is what the newest one may be already.
  const compared = useRef(base);
  if (!busy) compared.current = newest;
  // So that a look at what changes needs no server that is away by then.
  useEffect(loadDiff, []);

  const adopt = (config: Config) => {
    setBase(config);
    setDraft(draftOf(config, name.dataId));
    setTheirs(undefined);
  };
  /** Goes on from the version that this content was made from: a third one is compared with that, not with an older one. */
  const rebase = (content: string, onto: Config) => {
    if (onto === base) {
      setDraft((old) => ({ ...old, content }));
      return;
    }
    const { type, desc, configTags, appName } = besides(draft, original, draftOf(onto, name.dataId));
    setBase(onto);
    setDraft({ content, type, desc, tags: configTags ? configTags.split(',') : [], app: appName });
  };
  useEffect(() => {
    if (props.stored === base) return;
    if (props.stored.md5 !== base.md5 && !dirty) adopt(props.stored);
    // Another tab of this page has changed something, such as a beta.
    latest.reload();
    // Only a version loaded anew counts here.
  }, [props.stored]);

  const publish = async (content: string, against: Config) => {
    setBusy(true);
    try {
      // The digest that is compared is that of the content alone, and nobody tells of what else has changed.
      const now = await configs.get(name);
      await configs.publish(
        name,
        { content, encryptedDataKey: keyOf(content, now, base), ...besides(draft, original, draftOf(now, name.dataId)) },
        { expectedMd5: against.md5 },
      );
      adopt(await configs.get(name));
      setReviewing(false);
      props.changed();
      latest.reload();
      void action.message.success(t('Published'));
    } catch (failure) {
      if (failure instanceof ApiError && (failure.conflict || failure.absent)) {
        const now = await configs.get(name).catch(() => undefined);
        if (now && now.md5 !== against.md5) {
          setReviewing(false);
          rebase(content, against);
          setTheirs(now);
          return;
        }
      }
      void action.message.error(failure instanceof Error ? failure.message : String(failure), 8);
    } finally {
      setBusy(false);
    }
  };

  const endRelease = () => {
    setRelease(undefined);
    setChanging(undefined);
    // The content was that of the release; type, tags and description are those of the configuration.
    setDraft((old) => ({ ...old, content: original.content }));
  };
  const changeRelease = (next: ReleaseDraft | undefined) => {
    setRelease(next);
    setPageNo(1);
  };
  const edit = (chosen: Beta) => {
    const { content, md5, encryptedDataKey } = chosen;
    const begin = () => {
      changeRelease(releaseOf(chosen));
      setChanging({ md5, content, encryptedDataKey });
      setDraft((old) => ({ ...old, content }));
      panel.current?.scrollIntoView({ block: 'start' });
      panel.current?.focus({ preventScroll: true });
    };
    if (draft.content === original.content && !release) begin();
    else {
      confirm({
        title: t('Discard the changes in the editor?'),
        text: <p>{t('The editor then shows the release {name}.', { name: chosen.grayName })}</p>,
        button: t('Discard'),
        danger: true,
        run: async () => begin(),
      });
    }
  };
  const publishRelease = async (chosen: ReleaseDraft) => {
    setBusy(true);
    const { was, ...rule } = chosen;
    const done = await action.run(
      () =>
        releases.publish(
          name,
          { ...rule, grayName: rule.grayName.trim() },
          {
            content: draft.content,
            type: newest.type ?? draft.type,
            appName: newest.appName ?? undefined,
            encryptedDataKey: keyOf(draft.content, changing, newest, base),
          },
          was,
        ),
      t('Release {name} published', { name: chosen.grayName }),
    );
    setBusy(false);
    if (!done) return;
    setReviewing(false);
    endRelease();
    props.changed();
    latest.reload();
  };
  const others = newest.grayReleases ?? [];
  const taken = release !== undefined && release.was === undefined && others.some((each) => each.grayName === release.grayName.trim());
  const publishable = draft.content !== '' && (release ? preview.isCurrent && !taken : dirty);
  const state = release ? t('For {clients}', { clients: clientsText({ grayRule: JSON.stringify({ type: release.grayType, expr: release.grayRuleExp || '…' }) }) }) : dirty ? t('Changed, not published') : t('As stored');

  return (
    <>
      {resource && <MeshProgress namespaceId={name.namespaceId} type={resource.type} name={resource.name} version={base.md5} />}
      <GrayNotices name={name} releases={newest.grayReleases} />
      {newer && (
        <Alert
          type="warning"
          showIcon
          style={{ marginBottom: 12 }}
          title={t('{who} stored a newer version at {when}', storedBy(newer))}
          action={
            dirty ? (
              <Button onClick={() => setTheirs(newer)}>{t('Compare the three')}</Button>
            ) : (
              <Button onClick={() => adopt(newer)}>{t('Show it')}</Button>
            )
          }
        />
      )}
      {newest.encryptedDataKey && (
        <Alert
          type="warning"
          showIcon
          style={{ marginBottom: 12 }}
          title={t('A client has encrypted this content. Clients cannot decrypt an edited one: publish it with a client.')}
        />
      )}
      <div className="panel" ref={panel} tabIndex={-1} style={{ outline: 'none' }}>
        <Space wrap size="middle" align="end" style={{ marginBottom: 12, display: 'flex' }}>
          <TypeChoice value={draft.type} onChange={(type) => setDraft({ ...draft, type })} />
          <label>
            {t('Tags')}
            <Select
              mode="tags"
              open={false}
              suffixIcon={null}
              style={{ width: 220, display: 'flex' }}
              aria-label={t('Tags')}
              value={draft.tags}
              onChange={(tags) => setDraft({ ...draft, tags })}
              tokenSeparators={[',']}
            />
          </label>
          <label>
            {t('Application')}
            <Input style={{ width: 150, display: 'block' }} value={draft.app} onChange={(e) => setDraft({ ...draft, app: e.target.value })} />
          </label>
          <label>
            {t('Description')}
            <Input
              style={{ width: 280, display: 'block' }}
              maxLength={256}
              value={draft.desc}
              onChange={(e) => setDraft({ ...draft, desc: e.target.value })}
            />
          </label>
        </Space>
        <CodeEditor
          value={draft.content}
          type={draft.type}
          label={t('Content')}
          onChange={(content) => setDraft((old) => ({ ...old, content }))}
          onProblems={setProblems}
          check={checkOf(name)}
          height={release ? '32vh' : undefined}
        />
        {props.mayWrite && <ReleaseTo name={name} value={release} onChange={changeRelease} releases={others} problem={preview.problem} />}
        {release && <ReleaseClients preview={preview} grayName={release.grayName} stored={newest} releases={others} pageNo={pageNo} onPage={setPageNo} />}
        <div className="row" style={{ marginTop: 12 }}>
          <Button
            type="primary"
            disabled={!publishable}
            onClick={() => {
              // The comparison takes the content that is stored now, which may be newer than this page.
              latest.reload();
              setReviewing(true);
            }}
          >
            {t('Review and publish')}
          </Button>
          <Button
            disabled={!dirty && !release}
            onClick={() => {
              setDraft(original);
              setRelease(undefined);
              setChanging(undefined);
            }}
          >
            {t('Discard')}
          </Button>
          {canFormat(draft.type) && (
            <Button
              onClick={() =>
                void action.run(async () => {
                  const content = asStored(asEdited(await format(draft.type, draft.content)), lineEndingOf(draft.content));
                  setDraft((old) => ({ ...old, content }));
                })
              }
            >
              {t('Format')}
            </Button>
          )}
          <span role="status" className={errors ? '' : 'muted'} style={errors ? { color: 'var(--bad)' } : undefined}>
            {errors > 1
              ? t('{n} problems in this {type}', { n: errors, type: draft.type })
              : errors
                ? t('One problem in this {type}', { type: draft.type })
                : state}
          </span>
          <span className="grow" />
          <span className="muted mono wrap">
            {t('{n} characters', { n: number(draft.content.length) })} · MD5 {base.md5}
          </span>
        </div>
      </div>
      <ReleaseList name={name} stored={newest} releases={others} mayWrite={props.mayWrite} edit={edit} changed={() => { props.changed(); latest.reload(); }} />
      {reviewing && release && (
        <Review
          title={t('Release to some clients')}
          stored={changing ? { ...compared.current, ...changing } : compared.current}
          storedTitle={changing && t('Release {name} now', { name: release.grayName })}
          content={draft.content}
          contentTitle={t('Release {name}', { name: release.grayName })}
          type={draft.type}
          same={changing ? t('The content stays as it is; the rule or the priority changes.') : t('The contents of the two are the same.')}
          okText={errors ? t('Publish despite {n} problems', { n: errors }) : t('Publish to these clients')}
          cancelText={t('Continue editing')}
          danger={errors > 0}
          busy={busy}
          publish={() => void publishRelease(release)}
          close={() => setReviewing(false)}
        >
          <Alert
            type="info"
            showIcon
            style={{ marginBottom: 8 }}
            title={<span className="wrap">{t('For {clients}', { clients: clientsText({ grayRule: JSON.stringify({ type: release.grayType, expr: release.grayRuleExp }) }) })}</span>}
            description={preview.found && summaryText(preview.found.data)}
          />
        </Review>
      )}
      {reviewing && !release && (
        <Review
          title={t('Pending changes')}
          stored={compared.current}
          content={draft.content}
          contentTitle={t('Yours')}
          type={draft.type}
          releases={newest.grayReleases}
          same={t('The content stays as it is; its type, tags or description change.')}
          okText={errors ? t('Publish despite {n} problems', { n: errors }) : t('Publish')}
          cancelText={t('Continue editing')}
          danger={errors > 0}
          busy={busy}
          publish={() => void publish(draft.content, base)}
          close={() => setReviewing(false)}
        >
          {newer && newer.md5 !== base.md5 && (
            <Alert
              type="warning"
              showIcon
              style={{ marginBottom: 8 }}
              title={t('{who} stored this version at {when}, after you began to edit. Publish shows both changes and a merged result.', storedBy(newer))}
              action={
                <Button
                  onClick={() => {
                    setReviewing(false);
                    setTheirs(newer);
                  }}
                >
                  {t('Compare the three')}
                </Button>
              }
            />
          )}
          {draft.content !== compared.current.content && !endsAlike(compared.current.content) && endsAlike(draft.content) && (
            <Alert type="warning" showIcon style={{ marginBottom: 8 }} title={t('The stored version has mixed line endings (CR, LF, CRLF); yours has one kind.')} />
          )}
        </Review>
      )}
      {theirs && (
        <Collision
          key={theirs.md5}
          base={base}
          theirs={theirs}
          mine={draft.content}
          type={draft.type}
          busy={busy}
          publish={(content) => void publish(content, theirs)}
          takeTheirs={() => adopt(theirs)}
          close={() => setTheirs(undefined)}
        />
      )}
    </>
  );
}
