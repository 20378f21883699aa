import { Button, Segmented, Table, Tag } from 'antd';
import { clients, type EventSearch, type ListenedConfig } from '../api/clients';
import { core } from '../api/core';
import { placeOf, type ClientPlace } from '../components/ClientAddress';
import { ClientLabels } from '../components/ClientLabels';
import { Beneath, Clip, Incomplete, Link, Loaded, Nothing, PageHead, TableScroll } from '../components/common';
import { moment, t } from '../i18n';
import { useRemote } from '../remote';
import { useRights } from '../rights';
import { useQuery, view } from '../router';
import { AnswerMark, Digest, useAsk } from './clients/asked';
import { ClientHistory } from './clients/ClientHistory';
import { instanceOf, rowOf, type ConnectionRow } from './connections/rows';

const EVERY_MILLIS = 5000;

type Scope = 'connection' | 'instance' | 'application' | 'address';

/** One client: what it is, what it listens to, and what was seen of it. */
export default function ClientPage() {
  const [query] = useQuery();
  const id = query.get('id') ?? '';
  const ip = query.get('ip') ?? '';
  return <OneClient key={`${id} ${ip}`} id={id} ip={ip} app={query.get('app') ?? ''} instance={query.get('instance') ?? ''} />;
}

function OneClient(props: { id: string; ip: string; app: string; instance: string }) {
  const { id } = props;
  const { admin } = useRights();
  const connected = useRemote(
    admin && id ? `client ${id}` : undefined,
    async (signal) => {
      const { data, silent } = await core.connections(signal);
      const found = data.map(rowOf).find((row) => row.id === id);
      return { found, silent };
    },
    { every: EVERY_MILLIS },
  );
  const listened = useRemote(id ? `listened ${id}` : undefined, (signal) => clients.listens(id, signal), { every: EVERY_MILLIS });
  // Those who may not list connections know of a client what was seen of it.
  const seen = useRemote(id ? `seen ${id}` : undefined, (signal) => clients.history({ connectionId: id }, 1, signal));
  const row = connected.data?.found;
  const last = seen.data?.data[0];
  const ip = row?.ip || last?.ip || props.ip;
  const app = row?.app || last?.app || props.app;
  const instance = (row && instanceOf(row.labels)) || last?.instance || props.instance;
  const sdk = row?.version || last?.client || '';
  const since = Number(/^(\d+)_/.exec(id)?.[1] ?? 0);
  return (
    <>
      <PageHead title={<Title place={placeOf(ip, id)} />} sub={<span className="wrap">{[app, sdk].filter(Boolean).join(' · ') || t('Client')}</span>} />
      <dl className="kv panel" style={{ marginBottom: 16 }}>
        <dt>{t('State')}</dt>
        <dd>{stateText(id, row, connected.data?.found === undefined && connected.data !== undefined, last?.event === 'LEFT')}</dd>
        <dt>{t('Application')}</dt>
        <dd>{app || '–'}</dd>
        <dt>{t('Instance')}</dt>
        <dd className="mono">{instance || '–'}</dd>
        <dt>{t('SDK')}</dt>
        <dd>{sdk || '–'}</dd>
        <dt>{t('Since')}</dt>
        <dd>{moment(since) || '–'}</dd>
        <dt>{t('Node')}</dt>
        <dd className="mono">{row?.node || last?.node || '–'}</dd>
        {row && (
          <>
            <dt>{t('Labels')}</dt>
            <dd><ClientLabels labels={row.labels} /></dd>
          </>
        )}
        <dt>ID</dt>
        <dd className="mono">{id || '–'}</dd>
      </dl>
      <section className="panel" style={{ marginBottom: 16 }} aria-label={t('Listens to')}>
        <h2>{t('Listens to')}</h2>
        {id ? (
          <Loaded remote={listened}>
            {({ data, silent }) => (
              <>
                <Incomplete nodes={silent} />
                <Listened id={id} rows={data} />
              </>
            )}
          </Loaded>
        ) : (
          <p className="calm">{t('This client polls over HTTP: it has no connection, and cannot be asked.')}</p>
        )}
      </section>
      <History id={id} ip={ip} app={app} instance={instance} />
    </>
  );
}

function Title(props: { place: ClientPlace }) {
  const { address, through } = props.place;
  return (
    <bdi>
      {address}
      {through && <span className="muted"> ({through})</span>}
    </bdi>
  );
}

function stateText(id: string, row: ConnectionRow | undefined, isGone: boolean, hasLeft: boolean): string {
  if (row) return t('Connected');
  if (isGone || hasLeft) return t('Not connected any more');
  return id ? t('Connected over gRPC') : t('Polls over HTTP');
}

function Listened(props: { id: string; rows: ListenedConfig[] }) {
  const { id } = props;
  const { ask, asking, answerOf } = useAsk();
  return (
    <TableScroll>
      <Table<ListenedConfig>
        size="small"
        rowKey={(c) => JSON.stringify([c.namespaceId, c.groupName, c.dataId])}
        dataSource={props.rows}
        pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
        locale={{ emptyText: <Nothing text={t('It listens to no configuration that you may read')} /> }}
        columns={[
          {
            title: t('Configuration'),
            render: (_, c) => (
              <>
                <Link to={view('configs/one', { ns: c.namespaceId, group: c.groupName, dataId: c.dataId, tab: 'listeners' })}><Clip text={c.dataId} width={300} /></Link>
                <Beneath>{c.groupName} · {c.namespaceId || 'public'}</Beneath>
              </>
            ),
          },
          { title: t('Group'), responsive: ['md'], render: (_, c) => <Clip text={c.groupName} width={180} /> },
          { title: t('Namespace'), responsive: ['lg'], render: (_, c) => <Clip text={c.namespaceId || 'public'} width={160} /> },
          { title: t('Release'), responsive: ['md'], render: (_, c) => (c.release ? <Tag color="processing"><Clip text={c.release} width={140} /></Tag> : '–') },
          {
            title: t('Version'),
            render: (_, c) => (
              <>
                <Tag color={c.current ? 'success' : 'warning'}>{c.current ? t('Current') : t('Is behind')}</Tag>
                <Digest md5={c.md5} />
                <div><AnswerMark answer={answerOf(c, { connectionId: id, md5: c.md5 })} asks={undefined} /></div>
              </>
            ),
          },
          {
            title: t('Actions'),
            align: 'right',
            render: (_, c) => (
              <Button size="small" disabled={asking} aria-label={t('Ask about {name}', { name: c.dataId })} onClick={() => void ask(nameOf(c), [{ connectionId: id, md5: c.md5 }])}>
                {t('Ask')}
              </Button>
            ),
          },
        ]}
      />
    </TableScroll>
  );
}

function nameOf({ namespaceId, groupName, dataId }: ListenedConfig) {
  return { namespaceId, groupName, dataId };
}

function History(props: { id: string; ip: string; app: string; instance: string }) {
  const { id, ip, app, instance } = props;
  const [query, change] = useQuery();
  const all: { value: Scope; label: string; search?: EventSearch }[] = [
    { value: 'connection', label: t('This connection'), search: id ? { connectionId: id } : undefined },
    { value: 'instance', label: t('This instance'), search: instance ? { instance } : undefined },
    { value: 'application', label: t('Application at this address'), search: app && ip ? { appName: app, ip } : undefined },
    { value: 'address', label: t('This address'), search: ip ? { ip } : undefined },
  ];
  const scopes = all.filter((scope) => scope.search);
  const chosen = scopes.find((scope) => scope.value === query.get('history')) ?? scopes[0];
  if (!chosen?.search) return null;
  return (
    <section className="panel" aria-label={t('History')}>
      <h2>{t('History')}</h2>
      <div className="segments" style={{ marginBottom: 12 }}>
        <Segmented aria-label={t('History')} value={chosen.value} onChange={(value) => change({ history: value })} options={scopes.map(({ value, label }) => ({ value, label }))} />
      </div>
      <ClientHistory key={chosen.value} search={chosen.search} visible byClient={false} />
    </section>
  );
}
