import { Alert, Button, Empty, Table, Tag } from 'antd';
import { useState } from 'react';
import { ApiError } from '../../api/http';
import { configs, type Config, type ConfigName, type HistoryEntry } from '../../api/configs';
import { Dialog } from '../../components/Dialog';
import { Beneath, Clip, Loaded, TableScroll, useAction } from '../../components/common';
import { Compare } from '../../editor/Compare';
import { typeOf } from '../../editor/languages';
import { moment, t } from '../../i18n';
import { useRemote } from '../../remote';
import { Review, storedBy } from './Review';

/**
 * One version that was once stored. A row of the history tells who made it; its content is what the next change found
 * and kept, or what is stored now.
 */
type Version = {
  key: string;
  made: HistoryEntry;
  /** The row that holds the content; undefined when it is what is stored now, or when the change was a deletion. */
  keptBy?: HistoryEntry;
  isCurrent: boolean;
  isDeletion: boolean;
};

const PAGE = 100;

function operation(entry: HistoryEntry): string {
  return entry.opType.trim().toUpperCase();
}

function isFormal(entry: HistoryEntry): boolean {
  return !entry.publishType || entry.publishType === 'formal';
}

/** @param entries of one configuration, the newest first */
function versionsOf(entries: HistoryEntry[], existsNow: boolean): Version[] {
  const formal = entries.filter(isFormal);
  return formal.map((made, index) => {
    const next = formal[index - 1];
    const isDeletion = operation(made) === 'D';
    const keepsOwn = operation(made) === 'I';
    return {
      key: made.id,
      made,
      keptBy: isDeletion ? undefined : keepsOwn ? made : next,
      isCurrent: index === 0 && existsNow && !isDeletion,
      isDeletion,
    };
  });
}

/** A version of before, what is stored now instead of it, and whether that was stored while the two were compared. */
type Restoring = { version: Version; content: string; encryptedDataKey: string; now: Config | undefined; changed?: boolean };

/** The content of a version, with its key where a client has encrypted it. */
type Stored = { content: string; encryptedDataKey: string };

async function presentOf(name: ConfigName, signal?: AbortSignal): Promise<Config | undefined> {
  try {
    return await configs.get(name, signal);
  } catch (failure) {
    if (failure instanceof ApiError && failure.absent) return undefined;
    throw failure;
  }
}

export function HistoryTab(props: { name: ConfigName; mayWrite: boolean; changed: () => void }) {
  const { name } = props;
  const [chosen, setChosen] = useState<string[]>([]);
  const [size, setSize] = useState(PAGE);
  const [compared, setCompared] = useState<[Version, Version | undefined]>();
  const action = useAction();
  const [restoring, setRestoring] = useState<Restoring>();
  const [busy, setBusy] = useState(false);
  const remote = useRemote(`${JSON.stringify(name)} ${size}`, async (signal) => {
    const [page, stored] = await Promise.all([configs.history(name, 1, size, signal), presentOf(name, signal)]);
    return { versions: versionsOf(page.pageItems, stored !== undefined), stored, more: page.totalCount > page.pageItems.length, entries: page.pageItems };
  });

  const storedOf = async (version: Version, stored: Config | undefined): Promise<Stored> => {
    const isCurrent = version.isCurrent && stored !== undefined;
    const kept = isCurrent ? stored : version.keptBy && !version.isDeletion ? await configs.historyEntry(name, version.keptBy.id) : undefined;
    return { content: kept?.content ?? '', encryptedDataKey: kept?.encryptedDataKey ?? '' };
  };
  const contentOf = async (version: Version, stored: Config | undefined) => (await storedOf(version, stored)).content;

  const compare = (version: Version, stored: Config | undefined) =>
    action.run(async () => {
      // A publish replaces the content that is stored now, which may be newer than the list.
      const [old, now] = await Promise.all([storedOf(version, stored), presentOf(name)]);
      setRestoring({ version, ...old, now });
    });

  const restore = async ({ version, content, encryptedDataKey, now }: Restoring) => {
    setBusy(true);
    try {
      const draft = {
        content,
        type: now?.type || typeOf(name.dataId) || 'text',
        desc: now?.desc ?? undefined,
        configTags: now?.configTags ?? undefined,
        appName: now?.appName ?? undefined,
        encryptedDataKey,
      };
      await (now ? configs.publish(name, draft, { expectedMd5: now.md5 }) : configs.create(name, draft));
      setRestoring(undefined);
      void action.message.success(t('Published'));
    } catch (failure) {
      const newer = failure instanceof ApiError && failure.conflict ? await presentOf(name).catch(() => undefined) : undefined;
      if (newer) {
        // Compared once more, with what is stored by now.
        setRestoring({ version, content, encryptedDataKey, now: newer, changed: true });
        return;
      }
      void action.message.error(failure instanceof Error ? failure.message : String(failure), 8);
    } finally {
      setBusy(false);
    }
    remote.reload();
    props.changed();
  };

  return (
    <Loaded remote={remote}>
      {({ versions, stored, more }) => (
        <div className="panel">
          <div className="row" style={{ marginBottom: 12 }}>
            <Button
              disabled={chosen.length !== 2}
              onClick={() => {
                const picked = versions.filter((version) => chosen.includes(version.key));
                // The older one on the left.
                setCompared([picked[0]!, picked[1]]);
              }}
            >
              {t('Compare the chosen versions')}
            </Button>
            <span className="muted">{t('Choose two versions to compare them, or look at what one of them changed.')}</span>
          </div>
          <TableScroll>
            <Table<Version>
              size="small"
              rowKey="key"
              dataSource={versions}
              pagination={{ pageSize: 25, hideOnSinglePage: true, showSizeChanger: false }}
              locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('No history')} /> }}
              rowSelection={{
                selectedRowKeys: chosen,
                hideSelectAll: true,
                columnTitle: <span className="out-of-sight">{t('Compare')}</span>,
                onChange: (keys) => setChosen(keys.map(String).slice(-2)),
                getCheckboxProps: (v) => ({ 'aria-label': t('Choose the version of {when}', { when: moment(v.made.modifyTime) }) }) as object,
              }}
              columns={[
                { title: t('When'), key: 'when', render: (_, v) => <>{moment(v.made.modifyTime)}<Beneath><Clip text={v.made.srcUser || v.made.srcIp || ''} width={90} /></Beneath></> },
                {
                  title: t('What'),
                  key: 'what',
                  render: (_, v) => (
                    <>
                      {v.isDeletion ? <Tag color="error">{t('Deleted')}</Tag> : operation(v.made) === 'I' ? <Tag color="success">{t('Created')}</Tag> : <Tag>{t('Changed')}</Tag>}
                      {v.isCurrent && <Tag color="processing">{t('Stored now')}</Tag>}
                    </>
                  ),
                },
                { title: t('Who'), key: 'who', responsive: ['md'], render: (_, v) => <bdi>{v.made.srcUser || '–'}</bdi> },
                { title: t('From'), key: 'from', responsive: ['md'], render: (_, v) => <span className="mono">{v.made.srcIp}</span> },
                {
                  key: 'do',
                  title: t('Actions'),
                  align: 'right',
                  render: (_, v) => (
                    <>
                      <Button size="small" type="link" onClick={() => setCompared([v, versions[versions.indexOf(v) + 1]])}>
                        {t('What it changed')}
                      </Button>
                      {props.mayWrite && (
                        <Button size="small" type="link" disabled={v.isCurrent || v.isDeletion || !v.keptBy} onClick={() => void compare(v, stored)}>
                          {t('Roll back')}
                        </Button>
                      )}
                    </>
                  ),
                },
              ]}
            />
          </TableScroll>
          {more && <Button style={{ marginTop: 12 }} onClick={() => setSize(Math.min(500, size + PAGE))}>{t('Load older versions')}</Button>}
          {restoring && (
            <Review
              title={t('Roll back to the version of {when}?', { when: moment(restoring.version.made.modifyTime) })}
              stored={restoring.now}
              content={restoring.content}
              contentTitle={moment(restoring.version.made.modifyTime)}
              type={restoring.now?.type || typeOf(name.dataId) || 'text'}
              releases={restoring.now?.grayReleases}
              same={t('The contents of the two are the same.')}
              okText={t('Roll back')}
              busy={busy}
              publish={() => void restore(restoring)}
              close={() => setRestoring(undefined)}
            >
              {restoring.changed && restoring.now && (
                <Alert type="warning" showIcon style={{ marginBottom: 8 }} title={t('{who} stored a newer version at {when}', storedBy(restoring.now))} />
              )}
              <p className="muted" style={{ marginTop: 0 }}>{t('It is published again. The version stored now stays in the history.')}</p>
            </Review>
          )}
          {compared && (
            <Comparison
              pair={compared}
              type={stored?.type || typeOf(name.dataId) || 'text'}
              contentOf={(version) => contentOf(version, stored)}
              close={() => setCompared(undefined)}
            />
          )}
        </div>
      )}
    </Loaded>
  );
}

function Comparison(props: {
  pair: [Version, Version | undefined];
  type: string;
  contentOf: (version: Version) => Promise<string>;
  close: () => void;
}) {
  const [newer, older] = props.pair;
  const remote = useRemote(`${older?.key} ${newer.key}`, async () => {
    const [left, right] = await Promise.all([older ? props.contentOf(older) : '', props.contentOf(newer)]);
    return { left, right };
  });
  return (
    <Dialog onCancel={props.close} footer={null} width="min(1400px, 96vw)" style={{ top: 32 }} title={t('Two versions')}>
      <Loaded remote={remote}>
        {({ left, right }) => (
          <Compare
            left={left}
            right={right}
            leftTitle={older ? moment(older.made.modifyTime) : t('Nothing')}
            rightTitle={moment(newer.made.modifyTime)}
            type={props.type}
            same={<Alert type="info" showIcon title={t('The contents of the two are the same.')} />}
          />
        )}
      </Loaded>
    </Dialog>
  );
}
