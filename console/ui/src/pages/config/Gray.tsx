import { Alert, Tag } from 'antd';
import { Fragment, type ReactNode } from 'react';
import type { ConfigName, GrayRelease } from '../../api/configs';
import { Link } from '../../components/common';
import { t } from '../../i18n';
import { view } from '../../router';

/** The release by client address; there is at most one of that name. */
const BETA = 'beta';
const MOST_ADDRESSES = 8;

type Rule = { type: string; expr: string };

/** Rules are stored as JSON around the addresses or the tag; those of old releases are the addresses alone. */
function ruleOf(release: { grayRule: string }): Rule {
  try {
    const rule = JSON.parse(release.grayRule) as Partial<Rule>;
    return { type: rule.type ?? '', expr: rule.expr ?? '' };
  } catch {
    return { type: BETA, expr: release.grayRule ?? '' };
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

/** Without those of a type that the server does not know, which it serves to nobody. */
function inForce(releases: GrayRelease[] | undefined): GrayRelease[] {
  return releases?.filter((release) => isTag(release) || ruleOf(release).type === BETA) ?? [];
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
    />
  );
}

function Notices(props: {
  releases?: GrayRelease[];
  beta: (addresses: string) => string;
  tag: (tag: string) => string;
  action?: (release: GrayRelease) => ReactNode;
}) {
  return (
    <>
      {inForce(props.releases).map((release) => (
        <Alert
          key={release.grayName}
          type="info"
          showIcon
          style={{ marginBottom: 8 }}
          title={<span className="wrap">{isTag(release) ? props.tag(ruleOf(release).expr) : props.beta(addressesText(release))}</span>}
          action={props.action?.(release)}
        />
      ))}
    </>
  );
}
