import type { ReactNode } from 'react';
import type { Finding, Namespace } from '../../api/core';
import type { Page } from '../../api/configs';
import type { ServiceSummary } from '../../api/services';
import { Clip, Dot, Link } from '../../components/common';
import { bytes, instances, moment, number, t } from '../../i18n';
import { limitName } from '../../limits';
import { idOf } from '../../namespaces';
import { view } from '../../router';

const SECONDS_A_DAY = 86_400;
const NEAR = 0.8;

type Row = { key: string; urgent: boolean; where: ReactNode; text: string };

export type IllServices = { down: Page<ServiceSummary>; protecting: Page<ServiceSummary> };

/** A number of services in words. */
function services(count: number): string {
  return count === 1 ? t('1 service') : t('{n} services', { n: number(count) });
}

/** Why a node is away or behind, and what to do. */
function nodeCause({ reason, detail, used }: Finding): string {
  switch (reason) {
    case 'GROUP_PORT_UNREACHED':
      return t('Its heartbeat in the database continues, but its group port {port} is unreachable: open that port between the nodes.', { port: used });
    case 'GROUP_KEY_DIFFERS':
      return t('Its heartbeat in the database continues, but its messages are encrypted with another key: set cairn.cluster.key to the same value on all nodes, or on none, and restart those that had another one.');
    case 'NOT_RUNNING':
      return t('It is listed but not running: start it, or remove it from the list.');
    case 'CONTENTS_OLD':
      return t('It shows contents that are more than {n} s old: see its log and its connection to the database.', { n: number(used) });
    case 'INSTANCES_INCOMPLETE':
      return t('It went into service after {n} s without all instances of the other nodes (cairn.cluster.join-timeout).', { n: number(used) });
    default:
      return detail;
  }
}

/** The part of a node that copies what is stored. */
function followerName(subject: string): string {
  switch (subject) {
    case 'changes':
      return t('Changes of other nodes');
    case 'mirror':
      return t('Mirror of the database');
    case 'accounts':
      return t('Users and permissions');
    default:
      return subject;
  }
}

function ProxyLink(props: { namespace: string; node: string }) {
  return <Link to={view('proxies', { ns: props.namespace, node: props.node })}><Clip text={props.node} width={260} /></Link>;
}

function ofServer(finding: Finding, namespace: string): Row {
  const { kind, urgent, subject, groupName, detail, used, max } = finding;
  const row = (where: ReactNode, text: string): Row => ({ key: `${kind} ${groupName} ${subject}`, urgent, where, text });
  switch (kind) {
    case 'DATABASE_AWAY':
      return row(<Link to="settings">{t('Database')}</Link>, t('It is unavailable: everything can be read, nothing can be written. {reason}', { reason: detail }));
    case 'WRITES_REFUSED':
      return row(<Link to="settings">{t('Database')}</Link>, t('It refuses writes: everything can be read. {reason}', { reason: detail }));
    case 'DATABASE_DAMAGED':
      return row(<Link to="settings">{subject === 'mirror' ? t('Mirror of the database') : t('Database')}</Link>, t('A part of it has not been readable since {time}. {reason}', { time: moment(finding.since), reason: detail }));
    case 'DATABASE_LOST_COMMITS':
      return row(<Link to="settings">{t('Database')}</Link>, t('It has lost commits. {reason}', { reason: detail }));
    case 'FOLLOWING_FAILS':
      return row(<Link to="settings">{followerName(subject)}</Link>, t('It has not followed what is stored since {time}: {reason}', { time: moment(finding.since), reason: detail }));
    case 'ROWS_LEFT_OUT':
      return row(<Clip text={subject} width={260} />, t('Rows of this table that cannot be used and are left out: {n}. {reason}', { n: number(used), reason: detail }));
    case 'WRITE_LOCK_HELD':
      return row(<Link to="nodes"><Clip text={subject} width={260} /></Link>, t('This node was stopped or cut off inside a write and held up the writes of the other nodes. {reason}', { reason: detail }));
    case 'CASE_IGNORED':
      return row(<Link to="settings">{t('Database')}</Link>, t('Names that differ in upper and lower case alone are refused. {reason}', { reason: detail }));
    case 'DATABASE_PAGES_OLD':
      return row(<Link to="settings">{t('Database')}</Link>, t('Its file has the page size of an earlier release, so a publish writes more: {reason}', { reason: detail }));
    case 'DISK_FULL':
      return row(<Link to="settings">{t('Disk')}</Link>, t('{percent} % of the disk of {folder} are used: {used} of {all}', { percent: Math.floor((100 * used) / max), folder: subject, used: bytes(used), all: bytes(max) }));
    case 'PASSWORD_UNCHANGED':
      return row(<Link to="users"><Clip text={subject} width={260} /></Link>, t('still has the password generated at the first start'));
    case 'LDAP_USERS':
      return row(<Link to="users">{t('Users and rights')}</Link>, t('Users of an LDAP directory, which have no password here and cannot log in: {n}. {reason}', { n: number(used), reason: detail }));
    case 'ISSUER_MISFIT':
      return row(<Clip text={subject} width={260} />, t('Settings do not fit this issuer of tokens: {reason}', { reason: detail }));
    case 'ISSUER_AWAY':
      return row(<Clip text={subject} width={260} />, t('The keys of this issuer of tokens have not been readable since {time}: {reason}', { time: moment(finding.since), reason: detail }));
    case 'DIRECTORY_AWAY':
      return row(<Clip text={subject} width={260} />, t('This server of the directory has failed since {time}: {reason}', { time: moment(finding.since), reason: detail }));
    case 'PERMISSIONS_WITHOUT_EFFECT':
      return row(<Link to="users">{t('Users and rights')}</Link>, t('Permissions that allow nothing: {n}. {reason}', { n: number(used), reason: detail }));
    case 'CERTIFICATE_ENDS':
      return row(
        <Link to="settings">{t('Certificate')}</Link>,
        used < 0 ? t('{name} has expired: clients refuse it', { name: subject }) : t('{name} expires in {n} days', { name: subject, n: number(Math.floor(used / SECONDS_A_DAY)) }),
      );
    case 'LIMIT_NEAR':
      return row(<Link to="settings">{limitName(subject)}</Link>, t('{n} of {all} used ({setting})', { n: number(used), all: number(max), setting: detail }));
    case 'HOST_REFUSED':
      return row(<Clip text={subject} width={260} />, t('Requests refused for the host or site that they name: {n}. {reason}', { n: number(used), reason: detail }));
    case 'PROXY_PATH_UNKNOWN':
      return row(<Clip text={subject} width={260} />, t('Requests of a proxy for a path that does not exist: {n}. {reason}', { n: number(used), reason: detail }));
    case 'LISTENERS_BEHIND':
      return row(
        <Link to={view('configs/one', { ns: namespace, group: groupName, dataId: subject, tab: 'listeners' })}><Clip text={subject} width={260} /></Link>,
        t('{n} of {all} listeners do not have the stored version', { n: number(used), all: number(max) }),
      );
    case 'MESH_RESOURCE_UNREADABLE':
      return row(
        <Link to={view('configs/one', { ns: namespace, group: groupName, dataId: subject })}><Clip text={subject} width={260} /></Link>,
        t('It cannot be read as a resource of the mesh: {reason}', { reason: detail }),
      );
    case 'MESH_PROXY_REFUSES':
      return { ...row(<ProxyLink namespace={namespace} node={subject} />, t('It has refused what it was sent since {time}: {reason}', { time: moment(finding.since), reason: detail })), key: `${kind} ${subject} ${detail}` };
    case 'MESH_PROXY_WAITS':
      return { ...row(<ProxyLink namespace={namespace} node={subject} />, t('It has not acknowledged what it was sent since {time} ({reason}).', { time: moment(finding.since), reason: detail })), key: `${kind} ${subject} ${detail}` };
    case 'MESH_SERVICE_SETTING':
      return row(
        <Link to={view('services/one', { ns: namespace, group: groupName, service: subject })}><Clip text={subject} width={260} /></Link>,
        t('Its metadata has a setting for proxies that cannot be read, so the default is in force: {reason}', { reason: detail }),
      );
    case 'BEATS_REFUSED':
      return row(
        <Link to="users"><Clip text={subject || t('Clients without credentials')} width={260} /></Link>,
        t('Heartbeats have been refused since {time} ({reason}): {instances} of {services}. Instances without heartbeats are removed; give these clients valid credentials.', {
          time: moment(finding.since),
          reason: finding.reason ?? detail,
          instances: instances(used),
          services: services(max),
        }),
      );
    case 'INSTANCES_NOT_BACK':
      if (groupName) {
        return row(
          <Link to={view('services/one', { ns: namespace, group: groupName, service: subject })}><Clip text={subject} width={260} /></Link>,
          t('{instances} known before the restart did not come back.', { instances: instances(used) }),
        );
      }
      return row(
        <Link to={view('services', { ns: namespace })}>{t('Instances')}</Link>,
        t('{instances} of {services} known before the restart did not come back. The log of the server names them.', { instances: instances(used), services: services(max) }),
      );
    case 'NODE_AWAY':
      return row(<Link to="nodes"><Clip text={subject} width={260} /></Link>, t('This node is not a member of the cluster. {reason}', { reason: nodeCause(finding) }));
    case 'NODE_BEHIND':
      return row(<Link to="nodes"><Clip text={subject} width={260} /></Link>, t('This node is behind the others. {reason}', { reason: nodeCause(finding) }));
    case 'KEYS_DIFFER':
      return row(
        <Link to="nodes"><Clip text={subject} width={260} /></Link>,
        t('This node signs tokens with other keys, so a token of one node is refused by the other: set the same key on all nodes, or none.'),
      );
    case 'SETTINGS_DIFFER':
      return row(
        <Link to="nodes"><Clip text={subject} width={260} /></Link>,
        t('Settings that must agree on all nodes differ: compare conf/application.properties.'),
      );
    case 'COPIES_DIFFER':
      return row(<Link to="nodes"><Clip text={subject} width={260} /></Link>, t('A copy of what this node has registered was wrong and has been repaired. {reason}', { reason: detail }));
    case 'CLOCK_OFF':
      return row(<Link to="nodes"><Clip text={subject} width={260} /></Link>, t('The clock of this node is too far ahead: set the clocks of all nodes.'));
    default:
      return row(<Clip text={subject} width={260} />, detail);
  }
}

/** With the nodes of a cluster that report it: several may report the same of themselves. */
function reported({ nodes }: Finding, row: Row): Row {
  if (!nodes?.length) return row;
  const names = nodes.join(', ');
  return { ...row, key: `${row.key} ${names}`, text: `${row.text} ${t('(reported by {nodes})', { nodes: names })}` };
}

function ofService(service: ServiceSummary, namespace: string, down: boolean): Row {
  return {
    key: `${down} ${service.groupName} ${service.name}`,
    urgent: down,
    where: <Link to={view('services/one', { ns: namespace, group: service.groupName, service: service.name })}><Clip text={service.name} width={260} /></Link>,
    text: down
      ? t('{n} of {all} healthy', { n: number(0), all: number(service.ipCount) })
      : t('Protection is active: consumers get all {n} instances as healthy; {healthy} are', { n: number(service.ipCount), healthy: number(service.healthyInstanceCount) }),
  };
}

function ofNamespace(namespace: Namespace): Row {
  return {
    key: `namespace ${idOf(namespace)}`,
    urgent: namespace.configCount >= namespace.quota,
    where: <Link to="namespaces"><Clip text={namespace.namespaceShowName} width={260} /></Link>,
    text: t('{n} of {all} configurations used', { n: number(namespace.configCount), all: number(namespace.quota) }),
  };
}

function rows(props: Props): Row[] {
  const { findings, services, namespaces, namespace } = props;
  const protecting = services?.protecting.pageItems.filter((s) => s.healthyInstanceCount > 0) ?? [];
  const all = [
    ...(findings ?? []).map((finding) => reported(finding, ofServer(finding, namespace))),
    ...(services?.down.pageItems ?? []).map((service) => ofService(service, namespace, true)),
    ...protecting.map((service) => ofService(service, namespace, false)),
    ...(namespaces ?? []).filter((n) => n.quota > 0 && n.configCount >= n.quota * NEAR).map(ofNamespace),
  ];
  return [...all.filter((row) => row.urgent), ...all.filter((row) => !row.urgent)];
}

type Props = { findings?: Finding[]; services?: IllServices; namespaces?: Namespace[]; namespace: string };

/** Services that are down and not shown one by one. */
function hidden({ services }: Props): number {
  return services ? services.down.totalCount - services.down.pageItems.length : 0;
}

/** How much there is that somebody should look at. */
export function urgency(props: Props): { all: number; urgent: number } {
  const found = rows(props);
  return { all: found.length + hidden(props), urgent: found.filter((row) => row.urgent).length };
}

/** What somebody should look at, in words, each with a way to where it is solved. */
export function Findings(props: Props) {
  const found = rows(props);
  const { namespace } = props;
  const more = hidden(props);
  return (
    <>
      {found.length === 0 && <p className="calm"><Dot kind="good" />{t('Nothing needs attention in this namespace.')}</p>}
      <ul className="list-plain">
        {found.map((row) => (
          <li key={row.key}>
            <Dot kind={row.urgent ? 'bad' : 'warn'} />
            <div className="grow">
              {row.where} <span className="muted wrap">{row.text}</span>
            </div>
          </li>
        ))}
      </ul>
      {more > 0 && <Link to={view('services', { ns: namespace, health: 'down' })}>{t('{n} more services without a healthy instance', { n: number(more) })}</Link>}
    </>
  );
}
