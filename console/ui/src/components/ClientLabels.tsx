import { Tag } from 'antd';
import { t } from '../i18n';
import { Clip } from './common';

const OF_APPLICATION = 'app_';
/** Shown as the application. */
const APPLICATION = 'AppName';
/** Labels that the SDKs send by themselves, and those that differ in each instance. */
const TECHNICAL = ['source', 'module', 'taskId', 'instance', 'nacos.app.instance'];

/** Labels by the names that conditions have for them: official clients send zone as app_zone. */
export function labelsOf(labels: Record<string, string> | undefined): [string, string][] {
  return Object.entries(labels ?? {})
    .filter(([name]) => name !== APPLICATION)
    .map(([name, value]): [string, string] => [name.startsWith(OF_APPLICATION) ? name.slice(OF_APPLICATION.length) : name, value])
    .sort(([a], [b]) => a.localeCompare(b));
}

/** Labels by which groups of clients are told apart. */
export function groupLabelsOf(labels: Record<string, string> | undefined): [string, string][] {
  return labelsOf(labels).filter(([name]) => !TECHNICAL.includes(name));
}

/** @param most of the labels of groups; without it, all labels are shown */
export function ClientLabels(props: { labels: Record<string, string> | undefined; most?: number }) {
  const all = (props.most === undefined ? labelsOf(props.labels) : groupLabelsOf(props.labels)).map(([name, value]) => `${name}=${value}`);
  if (all.length === 0) return <>–</>;
  const shown = all.slice(0, props.most);
  return (
    <>
      {shown.map((label) => (
        <Tag key={label}>
          <Clip text={label} width={170} mono />
        </Tag>
      ))}
      {all.length > shown.length && (
        <span className="muted nowrap" title={all.slice(shown.length).join(', ')}>
          {t('and {n} more', { n: all.length - shown.length })}
        </span>
      )}
    </>
  );
}
