import { Alert, Button, Checkbox, Empty, Table, Tag } from 'antd';
import { useState } from 'react';
import { ApiError } from '../../api/http';
import { configs, type Config, type ConfigName, type HistoryEntry } from '../../api/configs';
import { Dialog } from '../../components/Dialog';
import { Loaded, useAction, useConfirm } from '../../components/common';
import { DiffView } from '../../editor/lazy';
import { typeOf } from '../../editor/languages';
import { moment, t } from '../../i18n';
import { useRemote } from '../../remote';

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

export function HistoryTab(props: { name: ConfigName; mayWrite: boolean; changed: () => void }) {
  const { name } = props;
  const [chosen, setChosen] = useState<string[]>([]);
  const [size, setSize] = useState(PAGE);
  const [compared, setCompared] = useState<[Version, Version | undefined]>();
  const action = useAction();
  const confirm = useConfirm();
  const remote = useRemote(`${JSON.stringify(name)} ${size}`, async (signal) => {
    const [page, stored] = await Promise.all([
      configs.history(name, 1, size, signal),
      configs.get(name, signal).catch((failure: unknown) => {
        if (failure instanceof ApiError && failure.absent) return undefined;
        throw failure;
      }),
    ]);
    return { versions: versionsOf(page.pageItems, stored !== undefined), stored, more: page.totalCount > page.pageItems.length, entries: page.pageItems };
  });

  const contentOf = async (version: Version, stored: Config | undefined): Promise<string> => {
    if (version.isDeletion) return '';
    if (version.isCurrent && stored) return stored.content;
    if (!version.keptBy) return '';
    return (await configs.historyEntry(name, version.keptBy.id)).content ?? '';
  };

  const restore = (version: Version, stored: Config | undefined) =>
    confirm({
      title: t('Go back to this version?'),
      text: t('The version of {when} is published again. The version stored now stays in the history.', { when: moment(version.made.modifyTime) }),
      button: t('Go back to it'),
      run: async () => {
        await action.run(async () => {
          const content = await contentOf(version, stored);
          await configs.publish(
            name,
            {
              content,
              type: stored?.type || typeOf(name.dataId) || 'text',
              desc: stored?.desc ?? undefined,
              configTags: stored?.configTags ?? undefined,
              appName: stored?.appName ?? undefined,
            },
            { expectedMd5: stored?.md5 },
          );
        }, t('Published'));
        remote.reload();
        props.changed();
      },
    });

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
              {t('Compare the two chosen')}
            </Button>
            <span className="muted">{t('Choose two versions to compare them, or look at what one of them changed.')}</span>
          </div>
          <Table<Version>
            size="small"
            rowKey="key"
            dataSource={versions}
            pagination={{ pageSize: 25, hideOnSinglePage: true, showSizeChanger: false }}
            locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('No history')} /> }}
            rowSelection={{
              selectedRowKeys: chosen,
              hideSelectAll: true,
              columnTitle: <span className="muted" />,
              onChange: (keys) => setChosen(keys.map(String).slice(-2)),
              getCheckboxProps: (v) => ({ 'aria-label': t('Choose the version of {when}', { when: moment(v.made.modifyTime) }) }) as object,
            }}
            columns={[
              { title: t('When'), key: 'when', render: (_, v) => moment(v.made.modifyTime) },
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
              { title: t('Who'), key: 'who', render: (_, v) => <bdi>{v.made.srcUser || '–'}</bdi> },
              { title: t('From'), key: 'from', render: (_, v) => <span className="mono">{v.made.srcIp}</span> },
              {
                key: 'do',
                title: <span className="muted">{t('Actions')}</span>,
                align: 'right',
                render: (_, v) => (
                  <>
                    <Button size="small" type="link" onClick={() => setCompared([v, versions[versions.indexOf(v) + 1]])}>
                      {t('What it changed')}
                    </Button>
                    {props.mayWrite && (
                      <Button size="small" type="link" disabled={v.isCurrent || v.isDeletion || !v.keptBy} onClick={() => restore(v, stored)}>
                        {t('Go back to it')}
                      </Button>
                    )}
                  </>
                ),
              },
            ]}
          />
          {more && <Button style={{ marginTop: 12 }} onClick={() => setSize(Math.min(500, size + PAGE))}>{t('Load older versions')}</Button>}
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
  const [unified, setUnified] = useState(false);
  const remote = useRemote(`${older?.key} ${newer.key}`, async () => {
    const [left, right] = await Promise.all([older ? props.contentOf(older) : '', props.contentOf(newer)]);
    return { left, right };
  });
  return (
    <Dialog onCancel={props.close} footer={null} width="min(1400px, 96vw)" style={{ top: 32 }} title={t('Two versions')}>
      <Checkbox checked={unified} onChange={(event) => setUnified(event.target.checked)} style={{ marginBottom: 8 }}>
        {t('In one column')}
      </Checkbox>
      <Loaded remote={remote}>
        {({ left, right }) =>
          left === right ? (
            <Alert type="info" showIcon title={t('The contents of the two are the same.')} />
          ) : (
            <DiffView
              left={left}
              right={right}
              leftTitle={older ? moment(older.made.modifyTime) : t('Nothing')}
              rightTitle={moment(newer.made.modifyTime)}
              type={props.type}
              unified={unified}
            />
          )
        }
      </Loaded>
    </Dialog>
  );
}
