import { Alert, Button, Empty, Input, Select, Table, Tag, Tooltip } from 'antd';
import { useState } from 'react';
import { mesh, type MeshConfigRow, type MeshState, type MeshSummary, type MeshType, type Proxy, type TypeState } from '../api/mesh';
import { Dialog } from '../components/Dialog';
import { Beneath, Clip, Dot, Incomplete, Loaded, OpeningColumn, PageHead, TableScroll } from '../components/common';
import { CodeEditor } from '../editor/lazy';
import { moment, number, t } from '../i18n';
import { STATES, TYPE_NAMES } from '../mesh';
import { useNamespaces } from '../namespaces';
import { useRemote, useSettled } from '../remote';
import { useQuery } from '../router';

const EVERY_MILLIS = 3000;
const PAGE = 50;
const TYPING_MILLIS = 300;
const NAMES_SHOWN = 60;

const TYPES = Object.keys(TYPE_NAMES) as MeshType[];

/** Which proxy has what, and which one refused what and why. */
export default function Proxies() {
  const { current } = useNamespaces();
  const [query, change] = useQuery();
  const [page, setPage] = useState(1);
  const namespaceId = current || 'public';
  const filter = { state: query.get('state') ?? '', type: query.get('type') ?? '', node: query.get('node') ?? '', address: query.get('address') ?? '', resource: query.get('resource') ?? '' };
  const asked = useSettled(JSON.stringify(filter), TYPING_MILLIS);
  const remote = useRemote(
    `proxies ${namespaceId} ${asked} ${page}`,
    async (signal) => {
      const [proxies, summary] = await Promise.all([
        mesh.proxies({ namespaceId, ...(JSON.parse(asked) as typeof filter), page, size: PAGE }, signal),
        mesh.summary({ namespaceId }, signal),
      ]);
      return { page: proxies.data, silent: proxies.silent, summary: summary.data };
    },
    { every: EVERY_MILLIS },
  );
  const choose = (changes: Record<string, string | undefined>) => {
    setPage(1);
    change(changes);
  };
  const isFiltered = Object.values(filter).some((value) => value !== '');

  return (
    <>
      <PageHead title={t('Proxies')} sub={remote.data && <Counts summary={remote.data.summary} />} />
      <div className="filters">
        <Select
          allowClear
          style={{ width: 170 }}
          aria-label={t('State')}
          placeholder={t('Any state')}
          value={filter.state || undefined}
          onChange={(state?: string) => choose({ state })}
          options={(Object.keys(STATES) as MeshState[]).map((value) => ({ value, label: t(STATES[value].text) }))}
        />
        <Select
          allowClear
          style={{ width: 150 }}
          aria-label={t('Kind of resource')}
          placeholder={t('Any kind')}
          value={filter.type || undefined}
          onChange={(type?: string) => choose({ type })}
          options={TYPES.map((value) => ({ value, label: t(TYPE_NAMES[value]) }))}
        />
        <Input allowClear style={{ width: 200 }} aria-label={t('Node or its cluster')} placeholder={t('Node or its cluster')} value={filter.node} onChange={(e) => choose({ node: e.target.value })} />
        <Input allowClear style={{ width: 200 }} aria-label={t('Address begins with')} placeholder={t('Address begins with')} value={filter.address} onChange={(e) => choose({ address: e.target.value })} />
        <Input allowClear style={{ width: 200 }} aria-label={t('Name of a resource')} placeholder={t('Name of a resource')} value={filter.resource} onChange={(e) => choose({ resource: e.target.value })} />
      </div>
      <Loaded remote={remote}>
        {({ page: found, silent }) => (
          <>
            <Incomplete nodes={silent} />
            <div className="table-panel" tabIndex={0}>
              <Table<Proxy>
                rowKey="id"
                size="middle"
                dataSource={found.pageItems}
                pagination={{ current: page, pageSize: PAGE, total: found.totalCount, hideOnSinglePage: true, showSizeChanger: false, onChange: setPage }}
                expandable={{ columnTitle: <OpeningColumn />, expandedRowRender: (proxy) => <Details proxy={proxy} />, rowExpandable: (proxy) => !proxy.reason }}
                locale={{
                  emptyText: (
                    <Empty
                      image={Empty.PRESENTED_IMAGE_SIMPLE}
                      description={isFiltered ? t('No proxy matches.') : t('No proxy is connected. bin/cairn mesh bootstrap prints the first configuration of one.')}
                    />
                  ),
                }}
                columns={[
                  {
                    title: t('Node'),
                    render: (_, p) => (
                      <>
                        <Clip text={p.nodeId} width={220} mono />
                        <div className="muted"><Clip text={p.nodeCluster} width={200} /></div>
                        <Beneath><span className="mono">{p.address}</span></Beneath>
                      </>
                    ),
                  },
                  { title: t('State'), render: (_, p) => <State proxy={p} /> },
                  { title: t('Address'), responsive: ['md'], render: (_, p) => <span className="mono nowrap">{p.address}</span> },
                  { title: t('Agent'), responsive: ['md'], render: (_, p) => <Clip text={agentOf(p)} width={180} /> },
                  { title: t('Protocol'), responsive: ['lg'], render: (_, p) => (p.protocol === 'delta' ? t('Delta') : t('State of the world')) },
                  { title: t('Server'), responsive: ['xl'], render: (_, p) => <span className="mono nowrap">{p.server}</span> },
                  { title: t('Connected'), responsive: ['lg'], render: (_, p) => <span className="nowrap">{p.reason ? '–' : moment(p.connectedAt)}</span> },
                ]}
              />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

/** MOSN does not say what it is. */
export function agentOf(proxy: Proxy): string {
  return proxy.agent || proxy.flavour;
}

function Counts(props: { summary: MeshSummary }) {
  const { proxies, refusing, waiting, refused = 0 } = props.summary;
  const parts = [proxies === 1 ? t('1 proxy is connected') : t('{n} proxies are connected', { n: number(proxies) })];
  if (refusing > 0) parts.push(t('{n} refusing something', { n: number(refusing) }));
  if (waiting > 0) parts.push(t('{n} without an acknowledgement for a minute', { n: number(waiting) }));
  if (refused > 0) parts.push(t('{n} refused by the server within ten minutes', { n: number(refused) }));
  return <>{parts.join(' · ')}</>;
}

/** The worst state of its types, with the words of the proxy below it. */
export function State(props: { proxy: Proxy }) {
  const { proxy } = props;
  const state = STATES[proxy.state];
  const reasons = proxy.types.filter((each) => each.state === proxy.state && each.state !== 'current');
  return (
    <>
      <span className="nowrap"><Dot kind={state.kind} />{t(state.text)}</span>
      {proxy.state === 'refusing' &&
        reasons.map((each) => (
          <div key={each.type} className="wrap proxy-reason">
            <span className="muted">{t(TYPE_NAMES[each.type])} · {t('since {time}', { time: moment(each.since) })}</span>
            <bdi className="proxy-error">{each.error}</bdi>
          </div>
        ))}
      {proxy.reason && (
        <div className="wrap proxy-reason">
          <span className="muted">{moment(proxy.connectedAt)}</span>
          <bdi className="proxy-error">{proxy.reason}</bdi>
        </div>
      )}
      {proxy.state === 'waiting' && (
        <div className="muted wrap">{reasons.map((each) => `${t(TYPE_NAMES[each.type])} · ${t('since {time}', { time: moment(each.since) })}`).join('; ')}</div>
      )}
    </>
  );
}

/** The subscriptions and resources of a proxy, kind by kind. */
function Details(props: { proxy: Proxy }) {
  const { proxy } = props;
  const remote = useRemote(`proxy ${proxy.id}`, (signal) => mesh.proxy(proxy, signal));
  const [open, setOpen] = useState<{ type: MeshType; name: string }>();
  const [listed, setListed] = useState<MeshType>();
  const subscriptions = remote.data?.subscriptions ?? [];
  return (
    <>
      {proxy.hostNames > 0 && (
        <Alert
          type="info"
          showIcon
          style={{ marginBottom: 8 }}
          title={t('{n} instances are left out: their address is a host name, and endpoints are IP addresses.', { n: number(proxy.hostNames) })}
        />
      )}
      <div className="proxy-details">
        <TableScroll>
          <Table<TypeState>
            size="small"
            rowKey="type"
            pagination={false}
            dataSource={proxy.types}
            columns={[
              { title: t('Kind'), render: (_, s) => t(TYPE_NAMES[s.type]) },
              { title: t('Asks for'), render: (_, s) => <Asked state={s} names={subscriptions.find((each) => each.type === s.type)?.names ?? []} open={(name) => setOpen({ type: s.type, name })} /> },
              {
                title: t('Gets'),
                align: 'right',
                render: (_, s) => (
                  <Button type="link" size="small" aria-label={`${number(s.resources)} ${t('{kind} of {node}', { kind: t(TYPE_NAMES[s.type]), node: proxy.nodeId })}`} onClick={() => setListed(s.type)}>
                    {number(s.resources)}
                  </Button>
                ),
              },
              { title: t('Sent'), align: 'right', render: (_, s) => <span className="mono">{s.sentVersion ?? '–'}</span> },
              { title: t('Acknowledged'), align: 'right', render: (_, s) => <span className="mono">{s.acknowledgedVersion ?? '–'}</span> },
              {
                title: t('State'),
                render: (_, s) => (
                  <Tooltip title={t('since {time}', { time: moment(s.since) })}>
                    <span className="nowrap"><Dot kind={STATES[s.state].kind} />{t(STATES[s.state].text)}</span>
                  </Tooltip>
                ),
              },
            ]}
          />
        </TableScroll>
      </div>
      <p className="muted">
        {[proxy.user && t('User: {name}', { name: proxy.user }), proxy.tag && t('Tag: {name}', { name: proxy.tag })].filter(Boolean).join(' · ')}
      </p>
      {listed && <Config proxy={proxy} type={listed} open={(name) => setOpen({ type: listed, name })} close={() => setListed(undefined)} />}
      {open && <Resource proxy={proxy} type={open.type} name={open.name} close={() => setOpen(undefined)} />}
    </>
  );
}

function Asked(props: { state: TypeState; names: string[]; open: (name: string) => void }) {
  const { state, names } = props;
  if (state.wildcard) return <Tag>{t('All')}</Tag>;
  return (
    <>
      {names.slice(0, NAMES_SHOWN).map((name) => (
        <Button key={name} type="link" size="small" onClick={() => props.open(name)}><Clip text={name} width={240} mono /></Button>
      ))}
      {state.names > NAMES_SHOWN && <span className="muted">{t('and {n} more', { n: number(state.names - NAMES_SHOWN) })}</span>}
      {names.length === 0 && number(state.names)}
    </>
  );
}

/** The resources of a kind that this proxy gets, also where it asks for all. */
function Config(props: { proxy: Proxy; type: MeshType; open: (name: string) => void; close: () => void }) {
  const { proxy, type } = props;
  const [page, setPage] = useState(1);
  const remote = useRemote(`config ${proxy.id} ${type} ${page}`, (signal) => mesh.config(type, proxy, page, PAGE, signal));
  return (
    <Dialog title={t('{kind} of {node}', { kind: t(TYPE_NAMES[type]), node: proxy.nodeId })} width={820} footer={null} onCancel={props.close}>
      <Loaded remote={remote}>
        {(found) => (
          <TableScroll>
            <Table<MeshConfigRow>
              size="small"
              rowKey="name"
              dataSource={found.pageItems}
              pagination={{ current: page, pageSize: PAGE, total: found.totalCount, hideOnSinglePage: true, showSizeChanger: false, onChange: setPage }}
              columns={[
                { title: t('Name'), render: (_, r) => <Button type="link" size="small" onClick={() => props.open(r.name)}><Clip text={r.name} width={300} mono /></Button> },
                { title: t('Source'), render: (_, r) => (r.source === 'stored' ? t('A configuration of the group CAIRN_XDS') : t('Made from the registry')) },
                { title: t('Version'), render: (_, r) => <span className="mono">{r.version}</span> },
                { title: t('Bytes'), align: 'right', render: (_, r) => number(r.bytes) },
              ]}
            />
          </TableScroll>
        )}
      </Loaded>
    </Dialog>
  );
}

/** A resource as this proxy gets it. */
function Resource(props: { proxy: Proxy; type: MeshType; name: string; close: () => void }) {
  const { proxy, type, name } = props;
  const remote = useRemote(`${type} ${name}`, (signal) => mesh.resource(type, name, proxy, signal));
  return (
    <Dialog title={<bdi>{name}</bdi>} width={820} footer={null} onCancel={props.close}>
      <p className="muted">{t('{kind}, as {node} gets it', { kind: t(TYPE_NAMES[type]), node: proxy.nodeId })}</p>
      <Loaded remote={remote}>
        {(resource) => (
          <>
            <p>
              {resource.source === 'stored' ? t('A configuration of the group CAIRN_XDS') : t('Made from the registry')} ·{' '}
              <span className="mono">{resource.version}</span> · {t('{n} bytes', { n: number(resource.bytes) })}
            </p>
            {resource.json === null ? (
              <Alert type="info" showIcon title={t('The server shows resources when its module for Envoy resources is installed.')} />
            ) : (
              <CodeEditor value={JSON.stringify(resource.json, null, 2)} type="json" label={t('Content')} height="46vh" />
            )}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}
