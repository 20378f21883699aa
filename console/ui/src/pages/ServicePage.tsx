import { DeleteOutlined, EditOutlined, PlusOutlined } from '@ant-design/icons';
import { Button, Table, Tabs, Tag } from 'antd';
import { useState } from 'react';
import { mesh } from '../api/mesh';
import { services, type LossCause, type Service, type ServiceName, type TimelineEntry } from '../api/services';
import { Clip, Incomplete, Link, Loaded, PageHead, Problem, TableScroll, useAction, useConfirm } from '../components/common';
import { instances as instancesOf, moment, number, t, type Text } from '../i18n';
import { resourceNameOf } from '../mesh';
import { useNamespaces } from '../namespaces';
import { useRemote } from '../remote';
import { ReadOnlyNote, useMayWrite } from '../rights';
import { navigate, useQuery, view } from '../router';
import { ClusterSettings } from './service/ClusterSettings';
import { changesOf, Instances } from './service/Instances';
import { RegisterInstance } from './service/RegisterInstance';
import { ServiceSettings } from './service/ServiceSettings';
import { agentOf, State } from './Proxies';
import { ServiceHealth } from './ServiceList';

export const EVERY_MILLIS = 2500;
const PROXIES_SHOWN = 20;

export default function ServicePage() {
  const { current, nameOf } = useNamespaces();
  const [query, change] = useQuery();
  const key: ServiceName = { namespaceId: current, groupName: query.get('group') ?? 'DEFAULT_GROUP', serviceName: query.get('service') ?? '' };
  const mayWrite = useMayWrite('naming', key.groupName, key.serviceName);
  const tab = query.get('tab') === 'subscribers' ? 'subscribers' : 'instances';
  const [editing, setEditing] = useState(false);
  const [registering, setRegistering] = useState(false);
  const action = useAction();
  const confirm = useConfirm();
  const remote = useRemote(
    JSON.stringify(key),
    (signal) => services.get(key, signal),
    { every: EVERY_MILLIS, keep: false, live: changesOf(key) },
  );
  const [changes, setChanges] = useState(0);
  const service = remote.data;
  const changed = () => {
    remote.reload();
    setChanges((n) => n + 1);
  };

  const remove = () =>
    confirm({
      title: t('Delete this service?'),
      text: t('A service that has instances is not deleted.'),
      button: t('Delete'),
      danger: true,
      run: async () => {
        const done = await action.run(() => services.remove(key), t('Deleted'));
        if (done) navigate(view('services', { ns: current }));
      },
    });

  return (
    <>
      <PageHead
        title={<bdi>{key.serviceName}</bdi>}
        sub={
          <span className="wrap">
            <bdi>{key.groupName}</bdi> · {nameOf(current)}
            {service && (
              <>
                {' '}· <ServiceHealth healthy={service.healthyInstanceCount} all={service.instanceCount} protecting={false} /> ·{' '}
                {service.ephemeral ? t('Ephemeral') : t('Persistent')}
              </>
            )}
          </span>
        }
      >
        {service && mayWrite && (
          <>
            <Button icon={<PlusOutlined aria-hidden />} onClick={() => setRegistering(true)}>{t('Register an instance')}</Button>
            <Button icon={<EditOutlined aria-hidden />} onClick={() => setEditing(true)}>{t('Settings')}</Button>
            <Button icon={<DeleteOutlined aria-hidden />} danger disabled={service.instanceCount > 0} onClick={remove}>{t('Delete')}</Button>
          </>
        )}
      </PageHead>
      {remote.error?.absent && !service ? (
        <Absent namespace={current} reason={remote.error.message} />
      ) : remote.error && !service ? (
        <Problem error={remote.error} retry={remote.reload} />
      ) : (
        <Loaded remote={remote}>
          {(service) => (
            <>
              <ReadOnlyNote may={mayWrite} />
              <Facts service={service} />
              <Timeline name={key} />
              <Tabs
                activeKey={tab}
                onChange={(next) => change({ tab: next === 'instances' ? undefined : next })}
                items={[
                  {
                    key: 'instances',
                    label: t('Instances ({n})', { n: number(service.instanceCount) }),
                    children: clustersOf(service).map((cluster) => (
                      <section key={cluster} className="panel cluster" style={{ marginBottom: 16 }} aria-label={t('Cluster {name}', { name: cluster })}>
                        <ClusterSettings service={service} cluster={cluster} name={key} mayWrite={mayWrite} changed={changed} />
                        <Instances key={JSON.stringify([key, cluster])} name={key} cluster={cluster} changes={changes} mayWrite={mayWrite} changed={changed} />
                      </section>
                    )),
                  },
                  { key: 'subscribers', label: t('Subscribers'), children: <><Subscribers name={key} visible={tab === 'subscribers'} /><ProxiesOf name={key} visible={tab === 'subscribers'} /></> },
                ]}
              />
              {editing && <ServiceSettings service={service} name={key} close={() => setEditing(false)} changed={changed} />}
              {registering && <RegisterInstance name={key} ephemeral={service.ephemeral} close={() => setRegistering(false)} changed={changed} />}
            </>
          )}
        </Loaded>
      )}
    </>
  );
}

const CAUSES: Record<LossCause, Text> = {
  EXPIRED: 'heartbeats missing',
  CONNECTION_CLOSED: 'connection closed',
  DEREGISTERED: 'deregistered by its client',
  REMOVED: 'removed by an operator',
  NOT_BACK: 'not back after the restart',
};

const ENTRIES_SHOWN = 3;

/** The losses and drains of its instances; the latest first. */
function Timeline(props: { name: ServiceName }) {
  const [all, setAll] = useState(false);
  const remote = useRemote(`timeline of ${JSON.stringify(props.name)}`, (signal) => services.timeline(props.name, signal), {
    every: EVERY_MILLIS,
    live: changesOf(props.name),
  });
  if (!remote.data) return remote.error ? <Problem error={remote.error} retry={remote.reload} /> : null;
  const { data: entries, silent } = remote.data;
  if (entries.length + silent.length === 0) return null;
  const shown = all ? entries : entries.slice(0, ENTRIES_SHOWN);
  return (
    <section className="panel" style={{ marginBottom: 16 }} aria-label={t('Timeline')}>
      <h2>{t('Timeline')}</h2>
      <Incomplete nodes={silent} />
      <ul className="list-plain">
        {shown.map((entry) => (
          <li key={`${entry.time} ${entry.event} ${entry.instance}`}>
            <span className="wrap">{sentence(entry)}</span>
          </li>
        ))}
      </ul>
      {entries.length > shown.length && <Button type="link" size="small" onClick={() => setAll(true)}>{t('Show {n} earlier', { n: entries.length - shown.length })}</Button>}
    </section>
  );
}

function sentence(entry: TimelineEntry): string {
  const time = moment(entry.time);
  const { instance, by } = entry;
  if (entry.kind === 'LOST') {
    const values = { time, instances: instancesOf(entry.count), cause: t(CAUSES[entry.event]), example: instance };
    return entry.count === 1 ? t('{time}: {instances}, {cause} ({example})', values) : t('{time}: {instances}, {cause} ({example} and others)', values);
  }
  switch (entry.event) {
    case 'BEGUN':
      return by ? t('{time}: {by} drains {instance}', { time, by, instance }) : t('{time}: the drain of {instance} begins', { time, instance });
    case 'ACKNOWLEDGED':
      return t('{time}: {instance} is drained, all {n} consumers have it', { time, instance, n: number(entry.count) });
    case 'UNACKNOWLEDGED':
      return t('{time}: {instance} is drained, {n} of {all} consumers have it', { time, instance, n: number(entry.count), all: number(entry.count + entry.waiting) });
    case 'ENDED':
      return by ? t('{time}: {by} has ended the drain of {instance}', { time, by, instance }) : t('{time}: the drain of {instance} has ended', { time, instance });
    case 'DEREGISTERED':
      return t('{time}: {instance} is deregistered, its drain has ended', { time, instance });
    case 'EXPIRED':
      return t('{time}: the drain of {instance} has ended at its time', { time, instance });
  }
}

/** The server's answer about a service that is gone. */
const LOST = /; it lost (\d+) of its instances at (\S+): (.+)$/;

function Absent(props: { namespace: string; reason: string }) {
  const lost = LOST.exec(props.reason);
  const cause = lost && Object.values(CAUSES).find((each) => each === lost[3]);
  return (
    <div className="panel" role="alert">
      <p>{t('There is no such service in this namespace.')} {t('It appears here when an application registers itself.')}</p>
      {lost && (
        <p className="muted">{t('It last lost {instances}, at {time}: {cause}', { instances: instancesOf(Number(lost[1])), time: moment(lost[2]), cause: cause ? t(cause) : String(lost[3]) })}</p>
      )}
      <Link to={view('services', { ns: props.namespace })}>{t('To the list of services')}</Link>
    </div>
  );
}

function clustersOf(service: Service): string[] {
  const all = Object.keys(service.clusterMap);
  return all.length === 0 ? ['DEFAULT'] : all.sort();
}

function Facts(props: { service: Service }) {
  const { service } = props;
  const metadata = Object.entries(service.metadata ?? {});
  if (!service.protectThreshold && metadata.length === 0 && service.selector.type === 'none') return null;
  return (
    <dl className="kv panel" style={{ marginBottom: 16 }}>
      {service.protectThreshold > 0 && (
        <>
          <dt>{t('Protection threshold (0 to 1)')}</dt>
          <dd>{service.protectThreshold}</dd>
        </>
      )}
      {service.selector.type !== 'none' && (
        <>
          <dt>{t('Selector')}</dt>
          <dd className="mono">{service.selector.expression || service.selector.type}</dd>
        </>
      )}
      {metadata.length > 0 && (
        <>
          <dt>{t('Metadata')}</dt>
          <dd><Metadata metadata={service.metadata} /></dd>
        </>
      )}
    </dl>
  );
}

export function Metadata(props: { metadata: Record<string, string> }) {
  return (
    <>
      {Object.entries(props.metadata).map(([name, value]) => (
        <Tag key={name} style={{ maxWidth: 320 }}>
          <Clip text={`${name}=${value}`} width={290} mono />
        </Tag>
      ))}
    </>
  );
}

function Subscribers(props: { name: ServiceName; visible: boolean }) {
  const [page, setPage] = useState(1);
  const remote = useRemote(`${JSON.stringify(props.name)} ${page}`, (signal) => services.subscribers(props.name, page, 50, signal), {
    every: props.visible ? EVERY_MILLIS : undefined,
  });
  return (
    <Loaded remote={remote}>
      {({ data, silent }) => (
        <div className="panel">
          <Incomplete nodes={silent} />
          <p role="status" style={{ marginTop: 0 }}>{t('Subscribers: {n}. Clients with the same address, agent, application and clusters are one row.', { n: number(data.totalCount) })}</p>
          <TableScroll>
            <Table
              size="small"
              rowKey={(s) => JSON.stringify([s.ip, s.port, s.agent, s.appName, s.clusters])}
              dataSource={data.pageItems}
              pagination={{ current: page, pageSize: 50, total: data.totalCount, hideOnSinglePage: true, showSizeChanger: false, onChange: setPage }}
              columns={[
                { title: t('Client'), render: (_, s) => <span className="mono">{s.port ? `${s.ip}:${s.port}` : s.ip}</span> },
                { title: t('Agent'), render: (_, s) => <Clip text={s.agent ?? ''} /> },
                { title: t('Application'), render: (_, s) => <Clip text={s.appName ?? ''} /> },
                { title: t('Clusters'), hidden: data.pageItems.every((s) => !s.clusters), render: (_, s) => <Clip text={s.clusters || t('All clusters')} /> },
              ]}
            />
          </TableScroll>
        </div>
      )}
    </Loaded>
  );
}

/** The proxies and gRPC clients that have the endpoints of the service; nothing where there are none. */
function ProxiesOf(props: { name: ServiceName; visible: boolean }) {
  const resource = resourceNameOf(props.name);
  const namespaceId = props.name.namespaceId || 'public';
  const remote = useRemote(`proxies of ${JSON.stringify(props.name)}`, (signal) => mesh.proxies({ namespaceId, resource, page: 1, size: PROXIES_SHOWN }, signal), {
    every: props.visible ? EVERY_MILLIS : undefined,
  });
  const found = remote.data?.data;
  if (!found || found.totalCount === 0) return null;
  return (
    <section className="panel" style={{ marginTop: 16 }} aria-label={t('Proxies')}>
      <h2>{t('Proxies')}</h2>
      <p>
        <Link to={view('proxies', { ns: props.name.namespaceId, resource })}>{found.totalCount === 1 ? t('1 proxy has its endpoints') : t('{n} proxies have its endpoints', { n: number(found.totalCount) })}</Link>
      </p>
      <TableScroll>
        <Table
          size="small"
          rowKey="id"
          pagination={false}
          dataSource={found.pageItems}
          columns={[
            { title: t('Node'), render: (_, p) => <Clip text={p.nodeId} mono /> },
            { title: t('Client'), render: (_, p) => <span className="mono">{p.address}</span> },
            { title: t('Agent'), render: (_, p) => <Clip text={agentOf(p)} /> },
            { title: t('State'), render: (_, p) => <State proxy={p} /> },
          ]}
        />
      </TableScroll>
    </section>
  );
}
