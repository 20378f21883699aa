import { Button, Form, Input, InputNumber, Segmented, Select } from 'antd';
import type { ReactNode } from 'react';
import { configs, type ConfigName, type GrayRelease, type Watcher } from '../../api/configs';
import { releases as api, type ReleasePreview, type ReleaseRule, type RuleType } from '../../api/releases';
import type { ApiError, OfAllNodes } from '../../api/http';
import { groupLabelsOf } from '../../components/ClientLabels';
import { Clip } from '../../components/common';
import { t } from '../../i18n';
import { useRemote, useSettled } from '../../remote';
import { addressesOf, ruleOf } from './Gray';

const SETTLED_MILLIS = 300;
const EVERY_MILLIS = 5000;
const MOST_LABELS = 6;
const MOST_VALUES = 5;
export const PREVIEW_SIZE = 20;

/** A release that is not published yet, or the change of one. */
export type ReleaseDraft = ReleaseRule & {
  /** The digest of the release that is changed; undefined for a new one. */
  was?: { md5: string; grayRule: string };
};

/** A refused field, with the column of the error from 1 where the server names one. */
type FieldProblem = { field: keyof ReleaseRule; column?: number; text: string };

export function draftOf(release: GrayRelease): ReleaseDraft {
  const { type, expr, priority } = ruleOf(release);
  return { grayName: release.grayName, grayType: type as RuleType, grayRuleExp: type === 'percentage' ? shareOf(expr) : expr, grayPriority: priority, was: { md5: release.md5, grayRule: release.grayRule } };
}

export function shareOf(expr: string): string {
  return expr.replace('%', '').trim();
}

/** A new release with a name that no other one has. */
function newDraft(grayType: RuleType, releases: GrayRelease[]): ReleaseDraft {
  let n = 1;
  while (releases.some((release) => release.grayName === `release-${n}`)) n++;
  return { grayName: `release-${n}`, grayType, grayRuleExp: '', grayPriority: 0 };
}

function isComplete(draft: ReleaseDraft): boolean {
  return draft.grayName.trim() !== '' && draft.grayRuleExp.trim() !== '';
}

function ruleIn(draft: ReleaseDraft): ReleaseRule {
  const { grayName, grayType, grayRuleExp, grayPriority } = draft;
  return { grayName: grayName.trim(), grayType, grayRuleExp, grayPriority };
}

/** The server names the parameter that it refuses, and the column in a condition. */
function problemOf(error: ApiError | undefined): FieldProblem | undefined {
  if (!error || error.unreachable || error.temporary || error.status === 403) return undefined;
  const parts = /^(?:(grayName|grayRuleExp|grayPriority): )?(?:column (\d+): )?(.*)$/s.exec(error.message);
  return { field: (parts?.[1] as keyof ReleaseRule | undefined) ?? 'grayRuleExp', column: parts?.[2] ? Number(parts[2]) : undefined, text: parts?.[3] ?? error.message };
}

export type Preview = {
  found?: OfAllNodes<ReleasePreview>;
  /** Why there is none, where it is not a field. */
  error?: ApiError;
  problem?: FieldProblem;
  /** Whether the rule is complete, so that it is asked about. */
  isAsked: boolean;
  /** Whether it is the answer about the present rule. */
  isCurrent: boolean;
};

/** Asks which clients a release would have, a moment after the last change of its rule, and again while the page shows it. */
export function usePreview(name: ConfigName, draft: ReleaseDraft | undefined, pageNo: number): Preview {
  const wanted = draft && isComplete(draft) ? JSON.stringify([ruleIn(draft), pageNo]) : '';
  const settled = useSettled(wanted, SETTLED_MILLIS);
  const asked = settled && wanted ? settled : undefined;
  const remote = useRemote(
    asked && `preview ${JSON.stringify(name)} ${asked}`,
    (signal) => {
      const [rule, page] = JSON.parse(asked!) as [ReleaseRule, number];
      return api.preview(name, rule, page, PREVIEW_SIZE, signal);
    },
    { every: EVERY_MILLIS, live: { ...name, when: (event) => event.dataId === name.dataId && event.groupName === name.groupName } },
  );
  if (!asked) return { isAsked: wanted !== '', isCurrent: false };
  const problem = problemOf(remote.error);
  return { found: remote.data, error: problem || remote.data ? undefined : remote.error, problem, isAsked: true, isCurrent: asked === wanted && !remote.loading && remote.data !== undefined };
}

/** The clients that get the content of the editor: all, or those of a rule. */
export function ReleaseTo(props: {
  name: ConfigName;
  value: ReleaseDraft | undefined;
  onChange: (value: ReleaseDraft | undefined) => void;
  releases: GrayRelease[];
  problem?: FieldProblem;
}) {
  const { value, releases } = props;
  const kinds: { value: 'all' | RuleType; label: string; disabled?: boolean }[] = [
    { value: 'all', label: t('All clients'), disabled: value?.was !== undefined },
    { value: 'beta', label: t('Addresses') },
    { value: 'tag', label: t('Tag of clients') },
    { value: 'label', label: t('Labels') },
    { value: 'percentage', label: t('A share') },
  ];
  const choose = (kind: 'all' | RuleType) =>
    props.onChange(kind === 'all' ? undefined : value ? { ...value, grayType: kind, grayRuleExp: '' } : newDraft(kind, releases));
  return (
    <section aria-label={t('Release to')}>
      <div className="row" style={{ marginTop: 12 }}>
        <span id="release-to">{t('Release to')}</span>
        <div className="segments">
          <Segmented aria-labelledby="release-to" value={value?.grayType ?? 'all'} onChange={choose} options={kinds} />
        </div>
      </div>
      {value && <RuleForm name={props.name} releases={releases} problem={props.problem} value={value} onChange={props.onChange} />}
    </section>
  );
}

function RuleForm(props: { name: ConfigName; value: ReleaseDraft; onChange: (value: ReleaseDraft) => void; releases: GrayRelease[]; problem?: FieldProblem }) {
  const { value, onChange } = props;
  const isTaken = value.was === undefined && props.releases.some((release) => release.grayName === value.grayName.trim());
  const problem = isTaken ? { field: 'grayName' as const, text: t('There is a release of this name. Change it in the list below, or choose another name.') } : props.problem;
  const at = (field: keyof ReleaseRule) => (problem?.field === field ? { validateStatus: 'error' as const, help: <Problem problem={problem} expr={value.grayRuleExp} /> } : {});
  return (
    <Form layout="vertical" component="div" className="release-form" requiredMark={false}>
      <Form.Item label={RULES[value.grayType]?.label()} htmlFor="release-rule" extra={<RuleHint name={props.name} value={value} onChange={onChange} />} className="release-rule" {...at('grayRuleExp')}>
        <RuleField value={value} onChange={onChange} />
      </Form.Item>
      <Form.Item label={t('Name of the release')} htmlFor="release-name" {...at('grayName')}>
        <Input id="release-name" value={value.grayName} disabled={value.was !== undefined} maxLength={50} onChange={(e) => onChange({ ...value, grayName: e.target.value })} />
      </Form.Item>
      <Form.Item label={t('Priority')} htmlFor="release-priority" extra={t('Of several releases that match a client, the highest applies.')} {...at('grayPriority')}>
        <InputNumber id="release-priority" value={value.grayPriority} precision={0} min={-2147483648} max={2147483647} style={{ width: '100%' }} onChange={(n) => onChange({ ...value, grayPriority: n ?? 0 })} />
      </Form.Item>
    </Form>
  );
}

const RULES: Record<RuleType, { label: () => string; hint: () => string }> = {
  beta: { label: () => t('Addresses of the clients'), hint: () => t('As the page Connections shows them, without ports.') },
  tag: { label: () => t('Tag that the clients send'), hint: () => t('Letters, digits and _-.:, at most 16.') },
  label: {
    label: () => t('Condition on labels'),
    hint: () => t('=, !=, in (…), not in (…), exists; joined with &&, ||, ! and parentheses. No comparison with an absent label is true. Clients over HTTP have no labels.'),
  },
  percentage: {
    label: () => t('Share of the clients in percent'),
    hint: () => t('A larger share contains each smaller one of the same name. Clients over HTTP are in no share.'),
  },
};

/** How a rule is written; of a condition also the labels that the clients have. */
function RuleHint(props: { name: ConfigName; value: ReleaseDraft; onChange: (value: ReleaseDraft) => void }) {
  const { name, value } = props;
  const isLabel = value.grayType === 'label';
  const remote = useRemote(isLabel ? `labels ${JSON.stringify(name)}` : undefined, (signal) => configs.watchers(name, signal));
  const known = isLabel ? knownConditions(remote.data?.data ?? []) : [];
  const add = (condition: string) => {
    const expr = value.grayRuleExp.trim();
    props.onChange({ ...value, grayRuleExp: expr ? `${expr} && ${condition}` : condition });
  };
  return (
    <>
      {RULES[value.grayType]?.hint()}
      {known.length > 0 && (
        <div className="row" style={{ gap: '0 8px' }}>
          {t('Labels of the clients:')}
          {known.map((condition) => (
            <Button key={condition} type="link" size="small" className="mono" style={{ paddingInline: 0 }} aria-label={t('Add {condition}', { condition })} onClick={() => add(condition)}>
              <Clip text={condition} width={260} />
            </Button>
          ))}
        </div>
      )}
    </>
  );
}

/** Of each label a condition that all clients with it fulfil. */
function knownConditions(watchers: Watcher[]): string[] {
  const values = new Map<string, Set<string>>();
  for (const watcher of watchers) {
    const labels: [string, string][] = groupLabelsOf(watcher.labels);
    if (watcher.app) labels.push(['AppName', watcher.app]);
    for (const [label, text] of labels) values.set(label, (values.get(label) ?? new Set()).add(text));
  }
  return [...values]
    .filter(([, all]) => all.size <= MOST_VALUES)
    .slice(0, MOST_LABELS)
    .map(([label, all]) => (all.size === 1 ? `${quoted(label)} = ${quoted([...all][0]!)}` : `${quoted(label)} in (${[...all].sort().map(quoted).join(', ')})`));
}

function quoted(text: string): string {
  return /^[\p{L}\p{N}_\-.:/]+$/u.test(text) ? text : `'${text.replace(/(['\\])/g, '\\$1')}'`;
}

function RuleField(props: { value: ReleaseDraft; onChange: (value: ReleaseDraft) => void }) {
  const { value } = props;
  const change = (grayRuleExp: string) => props.onChange({ ...value, grayRuleExp });
  switch (value.grayType) {
    case 'beta':
      return (
        <Select
          id="release-rule"
          mode="tags"
          open={false}
          suffixIcon={null}
          placeholder="10.0.0.7, 10.0.0.8"
          tokenSeparators={[',', ' ', ';', '\n', '，', '；', '、']}
          value={addressesOf({ grayRule: JSON.stringify({ type: 'beta', expr: value.grayRuleExp }) })}
          onChange={(addresses: string[]) => change(addresses.join(','))}
        />
      );
    case 'percentage':
      return <ShareField id="release-rule" value={value.grayRuleExp} onChange={change} />;
    case 'label':
      return <Input.TextArea id="release-rule" className="mono" rows={2} maxLength={1024} placeholder="zone in (a, b) && version != 1.2" value={value.grayRuleExp} onChange={(e) => change(e.target.value)} />;
    default:
      return <Input id="release-rule" value={value.grayRuleExp} maxLength={16} onChange={(e) => change(e.target.value)} />;
  }
}

/** A number from 0.01 to 100. */
export function ShareField(props: { id: string; value: string; onChange: (value: string) => void }) {
  return (
    <InputNumber
      id={props.id}
      style={{ width: '100%' }}
      min={0.01}
      max={100}
      precision={2}
      formatter={(n, { userTyping, input }) => (userTyping ? input : n === undefined ? '' : String(n).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''))}
      suffix="%"
      value={props.value === '' ? null : Number(props.value)}
      onChange={(n) => props.onChange(n === null ? '' : String(n))}
    />
  );
}

/** The server's words; of a condition also the place of the error in it. */
function Problem(props: { problem: FieldProblem; expr: string }): ReactNode {
  const { column, text } = props.problem;
  if (column === undefined) return <span className="wrap">{text}</span>;
  const at = column - 1;
  return (
    <>
      <span className="wrap">{t('Column {n}: {problem}', { n: column, problem: text })}</span>
      <bdi className="mono wrap error-place" aria-hidden="true">
        {props.expr.slice(Math.max(0, at - 40), at)}
        <mark>{props.expr.slice(at, at + 1).trim() || '\u00a0\u00a0'}</mark>
        {props.expr.slice(at + 1, at + 40)}
      </bdi>
    </>
  );
}
