import { Button, Empty, Input, Segmented, Table, Tag } from 'antd';
import { useRef, useState } from 'react';
import { MOST_ASKED } from '../../api/clients';
import { configs, type ConfigName, type Watcher } from '../../api/configs';
import { ClientAddress, placeOf, placeText, type ClientPlace } from '../../components/ClientAddress';
import { ClientLabels, groupLabelsOf, labelsOf } from '../../components/ClientLabels';
import { Beneath, Clip, Incomplete, Link, Loaded, TableScroll } from '../../components/common';
import { moment, number, t } from '../../i18n';
import { useRemote } from '../../remote';
import { useQuery } from '../../router';
import { AnswerMark, differs, Digest, isConfirmed, useAsk, type Answer } from '../clients/asked';
import { ClientHistory, clientView } from '../clients/ClientHistory';
import { BETA } from './Gray';

const EVERY_MILLIS = 2500;

type Row = Watcher & { place: ClientPlace };

/** The clients of the configuration, and what was seen of them. */
export function ListenersTab(props: { name: ConfigName; visible: boolean; md5?: string }) {
  const [query, change] = useQuery();
  const past = query.get('clients') === 'history';
  return (
    <div className="panel">
      <div className="row" style={{ marginBottom: 12 }}>
        <h2 className="panel-title grow" style={{ margin: 0, minWidth: 'max-content' }}>{t('Who uses this configuration')}</h2>
        <Segmented
          aria-label={t('Who uses this configuration')}
          value={past ? 'history' : 'now'}
          onChange={(value) => change({ clients: value === 'now' ? undefined : value })}
          options={[{ value: 'now', label: t('Now') }, { value: 'history', label: t('Events') }]}
        />
      </div>
      {past ? <ClientHistory search={props.name} visible={props.visible} byClient /> : <Present {...props} />}
    </div>
  );
}

/** The clients that listen, and whether the stored version has arrived there; counted again when something happens. */
function Present(props: { name: ConfigName; visible: boolean }) {
  const { name } = props;
  const [typed, setTyped] = useState('');
  const { ask, asking, answerOf } = useAsk();
  const table = useRef<HTMLDivElement>(null);
  const remote = useRemote(
    JSON.stringify(name),
    async (signal) => {
      const [all, stored] = await Promise.all([
        configs.watchers(name, signal),
        configs.get(name, signal).catch(() => undefined),
      ]);
      return { silent: all.silent, all: all.data.map((watcher): Row => ({ ...watcher, place: placeOf(watcher.clientIp, watcher.connectionId) })), md5: stored?.md5 ?? '', releases: stored?.grayReleases ?? [] };
    },
    {
      every: props.visible ? EVERY_MILLIS : undefined,
      live: { ...name, when: (event) => event.dataId === name.dataId && event.groupName === name.groupName },
    },
  );
  return (
    <Loaded remote={remote}>
      {({ all, silent, md5, releases }) => {
        const releaseOf = (l: Watcher) => releases.find((release) => release.md5 === l.md5 && (!l.release || release.grayName === l.release)) ?? releases.find((release) => release.md5 === l.md5);
        const hasRelease = (l: Watcher) => l.md5 !== md5 && releaseOf(l) !== undefined;
        const current = all.filter((listener) => listener.md5 === md5).length;
        const beta = all.filter(hasRelease).length;
        const behind = all.length - current - beta;
        const shown = all.filter((listener) => searched(listener).includes(typed.trim().toLowerCase()));
        // The clients on the page of the table that is seen.
        const askShown = () => {
          const keys = new Set([...(table.current?.querySelectorAll<HTMLElement>('tr[data-row-key]') ?? [])].map((row) => row.dataset.rowKey));
          const some = shown.filter((listener) => listener.asks && keys.has(keyOf(listener))).slice(0, MOST_ASKED);
          return ask(name, some);
        };
        const answers = all.map((listener) => answerOf(name, listener)).filter((answer) => answer !== undefined);
        const asks = all.some((listener) => listener.asks);
        return (
          <>
            <Incomplete nodes={silent} />
            {all.length > 0 && (
              <div style={{ marginBottom: 14 }}>
                <p role="status" style={{ fontSize: 16, margin: '0 0 8px' }}>
                  {t('{n} of {all} have the stored version', { n: number(current), all: number(all.length) })}
                  {beta > 0 && ` · ${releases.every((release) => release.grayName === BETA) ? t('{n} with a beta', { n: number(beta) }) : t('{n} with a release', { n: number(beta) })}`}
                </p>
                <div className="bar" aria-hidden="true">
                  <i style={{ width: `${(100 * current) / all.length}%` }} />
                  <i className="beta" style={{ width: `${(100 * beta) / all.length}%` }} />
                  <i className="old" style={{ width: `${(100 * behind) / all.length}%` }} />
                </div>
              </div>
            )}
            {all.length > 0 && (
              <div className="filters">
                <Input allowClear style={{ width: 260, maxWidth: '100%' }} aria-label={t('Search by address')} placeholder={t('Address, application, label')} value={typed} onChange={(e) => setTyped(e.target.value)} />
                {asks && <Button loading={asking} disabled={!shown.some((listener) => listener.asks)} onClick={() => void askShown()}>{t('Ask the clients')}</Button>}
                <span aria-live="polite">{answers.length > 0 && <Summary answers={answers} />}</span>
              </div>
            )}
            <div ref={table}>
              <TableScroll>
                <Table<Row>
                  size="small"
                  rowKey={keyOf}
                  dataSource={shown}
                  pagination={{ pageSize: 50, hideOnSinglePage: true, showSizeChanger: false }}
                  locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('No client listens to this configuration at the moment')} /> }}
                  showSorterTooltip={false}
                  columns={[
                    { title: t('Client'), key: 'address', sorter: (a, b) => placeText(a.place).localeCompare(placeText(b.place)), render: (_, l) => <><Address row={l} /><Beneath><Clip text={l.client} width={180} />{l.app && <> · {l.app}</>}</Beneath></> },
                    { title: t('Application'), key: 'app', responsive: ['md'], hidden: all.every((l) => !l.app), sorter: (a, b) => (a.app ?? '').localeCompare(b.app ?? ''), render: (_, l) => <Clip text={l.app || '–'} width={130} /> },
                    { title: t('Labels'), key: 'labels', responsive: ['lg'], hidden: all.every((l) => groupLabelsOf(l.labels).length === 0), render: (_, l) => <ClientLabels labels={l.labels} most={3} /> },
                    { title: t('SDK'), key: 'client', responsive: ['md'], sorter: (a, b) => a.client.localeCompare(b.client), render: (_, l) => <Clip text={l.client} width={170} /> },
                    { title: t('Since'), key: 'since', responsive: ['xl'], hidden: all.every((l) => !l.since), sorter: (a, b) => (a.since ?? 0) - (b.since ?? 0), render: (_, l) => moment(l.since) || '–' },
                    { title: t('Release'), key: 'release', responsive: ['md'], hidden: all.every((l) => !l.release), sorter: (a, b) => (a.release ?? '').localeCompare(b.release ?? ''), render: (_, l) => <Clip text={l.release || '–'} width={120} /> },
                    {
                      title: t('Version'),
                      key: 'state',
                      sorter: (a, b) => Number(a.md5 === md5) - Number(b.md5 === md5),
                      render: (_, l) => (
                        <>
                          {l.md5 === md5 ? <Tag color="success">{t('Stored version')}</Tag> : hasRelease(l) ? <Tag color="processing">{nameOfRelease(releaseOf(l)?.grayName)}</Tag> : <Tag color="warning">{t('Another version')}</Tag>}
                          {/* A client may hold the content for all, and be behind all the same. */}
                          {l.current === false && (l.md5 === md5 || hasRelease(l)) && <Tag color="warning">{t('Is behind')}</Tag>}
                          <span className="where-wide"><Digest md5={l.md5} /></span>
                          <div><AnswerMark answer={answerOf(name, l)} asks={l.asks} /></div>
                        </>
                      ),
                    },
                  ]}
                />
              </TableScroll>
            </div>
          </>
        );
      }}
    </Loaded>
  );
}

function keyOf(listener: Watcher): string {
  return `${listener.connectionId} ${listener.clientIp}`;
}

function searched(listener: Row): string {
  const labels = labelsOf(listener.labels).map(([name, value]) => `${name}=${value}`);
  return [placeText(listener.place), listener.client, listener.app, listener.instance, listener.release, ...labels].join(' ').toLowerCase();
}

function nameOfRelease(grayName: string | undefined): string {
  return grayName === undefined || grayName === BETA ? t('Beta') : grayName;
}

/** A client whose details the server has told leads to them. */
function Address(props: { row: Row }) {
  const { row } = props;
  const address = <ClientAddress place={row.place} />;
  if (row.node === undefined) return address;
  return <Link to={clientView({ connectionId: row.connectionId, ip: row.clientIp, app: row.app, instance: row.instance })}>{address}</Link>;
}

function Summary(props: { answers: Answer[] }) {
  const { answers } = props;
  const confirmed = answers.filter(isConfirmed).length;
  const different = answers.filter(differs).length;
  return (
    <>
      {t('{n} of {all} confirmed what the server believes', { n: number(confirmed), all: number(answers.length) })}
      {different > 0 && <b className="differs"> · {t('{n} with another content', { n: number(different) })}</b>}
    </>
  );
}
