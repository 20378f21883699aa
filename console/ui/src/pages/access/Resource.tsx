import { AutoComplete, Form, Input, Segmented, Select } from 'antd';
import { t } from '../../i18n';
import { idOf, useNamespaces } from '../../namespaces';

/** A pattern of resources: its parts as they are typed, and the text that is stored. */
export type ResourceValue = { namespace: string; group: string; type: string; name: string; text: string };

export const WHOLE: ResourceValue = { namespace: 'public', group: '*', type: '*', name: '*', text: 'public:*:*/*' };

export function actionText(action: string): string {
  if (action === 'r') return t('may read');
  if (action === 'w') return t('may write');
  if (action === 'drain') return t('may drain instances');
  return action === 'rw' ? t('may read and write') : action;
}

/** A pattern in words. */
export function resourceText(resource: string): string {
  const parts = /^([^:]*):(.*):(\*|config|naming)\/(.*)$/.exec(resource);
  if (!parts) return resource === '*' ? t('everything') : '';
  const [, namespace, group, type, name] = parts;
  const what = type === 'config' ? t('Configurations') : type === 'naming' ? t('Services') : t('Configurations and services');
  return `${what} ${name === '*' ? '' : `“${name}” `}· ${t('Group')} ${group} · ${t('Namespace')} ${namespace || 'public'}`;
}

export function Action(props: { value: string; onChange: (value: string) => void }) {
  return (
    <Form.Item label={t('Allows')}>
      <Segmented
        aria-label={t('Allows')}
        value={props.value}
        onChange={(value) => props.onChange(String(value))}
        options={[
          { value: 'r', label: t('may read') },
          { value: 'w', label: t('may write') },
          { value: 'rw', label: t('may read and write') },
          { value: 'drain', label: t('may drain instances') },
        ]}
      />
    </Form.Item>
  );
}

/** The four parts of a pattern. */
export function Resource(props: { value: ResourceValue; onChange: (value: ResourceValue) => void }) {
  const { all } = useNamespaces();
  const { value } = props;
  const edit = (changes: Partial<ResourceValue>) => {
    const next = { ...value, ...changes };
    const part = (text: string) => text.trim() || '*';
    props.onChange({ ...next, text: `${part(next.namespace)}:${part(next.group)}:${next.type}/${part(next.name)}` });
  };
  return (
    <>
      <Form.Item label={t('Namespace')} htmlFor="right-namespace">
        <AutoComplete
          id="right-namespace"
          value={value.namespace}
          onChange={(namespace) => edit({ namespace })}
          options={[{ value: '*' }, ...(all.data ?? []).map((n) => ({ value: idOf(n) }))]}
        />
      </Form.Item>
      <Form.Item label={t('Kind')} htmlFor="right-type">
        <Select
          id="right-type"
          aria-label={t('Kind')}
          value={value.type}
          onChange={(type) => edit({ type })}
          options={[
            { value: '*', label: t('Configurations and services') },
            { value: 'config', label: t('Configurations') },
            { value: 'naming', label: t('Services') },
          ]}
        />
      </Form.Item>
      <Form.Item label={t('Group (* stands for any characters)')} htmlFor="right-group">
        <Input id="right-group" value={value.group} onChange={(e) => edit({ group: e.target.value })} />
      </Form.Item>
      <Form.Item label={t('Name (* stands for any characters)')} htmlFor="right-name">
        <Input id="right-name" value={value.name} onChange={(e) => edit({ name: e.target.value })} />
      </Form.Item>
      <p className="muted mono" style={{ margin: 0 }}>{value.text}</p>
    </>
  );
}
