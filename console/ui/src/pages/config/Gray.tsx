import { Alert, Tag } from 'antd';
import { Fragment, type ReactNode } from 'react';
import type { ConfigName, GrayRelease } from '../../api/configs';
import { Link } from '../../components/common';
import { t } from '../../i18n';
import { view } from '../../router';

/** The release by client address; there is at most one of that name. */
export const BETA = 'beta';
const MOST_ADDRESSES = 8;

export type Rule = { type: string; expr: string; priority: number };

/** Rules are stored as JSON around the addresses or the tag; those of old releases are the addresses alone. */
export function ruleOf(release: { grayRule: string }): Rule {
  try {
    const rule = JSON.parse(release.grayRule) as Partial<Rule>;
    return { type: rule.type ?? '', expr: rule.expr ?? '', priority: rule.priority ?? 0 };
  } catch {
    return { type: BETA, expr: release.grayRule ?? '', priority: 0 };
  }
}

/** The addresses that a beta rule names. */
export function addressesOf(release: { grayRule: string }): string[] {
  return ruleOf(release).expr.split(',').map((address) => address.trim()).filter(Boolean);
}

/** The addresses in a sentence: all of them, or the first ones and how many follow. */
export function addressesText(release: { grayRule: string }): string {
  const addresses = addressesOf(release);
  const first = addresses.slice(0, MOST_ADDRESSES).join(', ');
  return addresses.length > MOST_ADDRESSES ? t('{addresses} and {n} more', { addresses: first, n: addresses.length - MOST_ADDRESSES }) : first;
}

function isTag(release: GrayRelease): boolean {
  return ruleOf(release).type === 'tag';
}

/** The clients of a release in words. */
export function clientsText(release: { grayRule: string }): string {
  const { type, expr } = ruleOf(release);
  if (type === BETA) return t('clients at {addresses}', { addresses: addressesText(release) });
  if (type === 'tag') return t('clients with the tag {tag}', { tag: expr });
  return clientsOf(release) ?? t('no client: the server does not know the type {type}', { type: type || '–' });
}

/** The clients of a release by labels or of a share; nothing for other types. */
function clientsOf(release: { grayRule: string }): string | undefined {
  const { type, expr } = ruleOf(release);
  if (type === 'label') return t('clients with {condition}', { condition: expr });
  if (type === 'percentage') return t('{n} % of the clients', { n: expr.replace('%', '').trim() });
  return undefined;
}

/** Without those of a type that the server does not know, which it serves to nobody. */
function inForce(releases: GrayRelease[] | undefined): GrayRelease[] {
  return releases?.filter((release) => isTag(release) || ruleOf(release).type === BETA || clientsOf(release) !== undefined) ?? [];
}

/** The releases of one configuration, as a list shows them. */
export function GrayMarks(props: { name: ConfigName; releases?: GrayRelease[] }) {
  return inForce(props.releases).map((release) => (
    <Fragment key={release.grayName}>
      {' '}
      <GrayMark name={props.name} release={release} />
    </Fragment>
  ));
}

/** The kind of a release, with its clients in the title. */
function GrayMark(props: { name: ConfigName; release: GrayRelease }) {
  const { release } = props;
  if (isTag(release)) return <Tag color="processing">{t('Tag {tag}', { tag: ruleOf(release).expr })}</Tag>;
  const clients = clientsOf(release);
  if (clients) return <Tag color="processing" title={t('Served to {addresses}', { addresses: clients })}>{t('Release {name}', { name: release.grayName })}</Tag>;
  const title = t('Served to {addresses}', { addresses: addressesText(release) });
  if (release.grayName !== BETA) return <Tag color="processing" title={title}>{t('Beta {name}', { name: release.grayName })}</Tag>;
  return <Link to={betaView(props.name)} title={title}><Tag color="processing">{t('Beta')}</Tag></Link>;
}

function betaView(name: ConfigName): string {
  return view('configs/one', { ns: name.namespaceId, group: name.groupName, dataId: name.dataId, tab: 'beta' });
}

/** A line for each release that is in force; the one that can be shown has a link. */
export function GrayNotices(props: { name: ConfigName; releases?: GrayRelease[] }) {
  return (
    <Notices
      releases={props.releases}
      beta={(addresses) => t('A beta is running. It is served to {addresses} instead of the stored version.', { addresses })}
      tag={(tag) => t('A release for the tag {tag} is active. It is served to clients with that tag instead of the stored version.', { tag })}
      clients={(clients, name) => t('The release {name} is active. It is served to {clients} instead of the stored version.', { name, clients })}
      action={(release) => release.grayName === BETA && <Link to={betaView(props.name)}>{t('Show the beta')}</Link>}
    />
  );
}

/** A line for each release that a publish to all leaves as it is. */
export function GrayStays(props: { releases?: GrayRelease[] }) {
  return (
    <Notices
      releases={props.releases}
      beta={(addresses) => t('The beta continues: it is still served to {addresses} instead of the version that you publish now.', { addresses })}
      tag={(tag) => t('The release for the tag {tag} continues: it is still served to clients with that tag instead of the version that you publish now.', { tag })}
      clients={(clients, name) => t('The release {name} continues: it is still served to {clients} instead of the version that you publish now.', { name, clients })}
    />
  );
}

/** A line for each release that stays in force after its configuration was deleted. */
export function GrayOutlives(props: { releases?: GrayRelease[] }) {
  return (
    <Notices
      releases={props.releases}
      beta={(addresses) => t('The beta is not deleted: it is served to {addresses} until it is stopped in the tab Beta.', { addresses })}
      tag={(tag) => t('The release for the tag {tag} is not deleted: it is still served to clients with that tag.', { tag })}
      clients={(clients, name) => t('The release {name} is not deleted: it is still served to {clients}.', { name, clients })}
    />
  );
}

function Notices(props: {
  releases?: GrayRelease[];
  beta: (addresses: string) => string;
  tag: (tag: string) => string;
  clients: (clients: string, name: string) => string;
  action?: (release: GrayRelease) => ReactNode;
}) {
  const text = (release: GrayRelease) => {
    const clients = clientsOf(release);
    if (clients) return props.clients(clients, release.grayName);
    return isTag(release) ? props.tag(ruleOf(release).expr) : props.beta(addressesText(release));
  };
  return (
    <>
      {inForce(props.releases).map((release) => (
        <Alert
          key={release.grayName}
          type="info"
          showIcon
          style={{ marginBottom: 8 }}
          title={<span className="wrap">{text(release)}</span>}
          action={props.action?.(release)}
        />
      ))}
    </>
  );
}
