import { Button, Input, Select, Space } from 'antd';
import { useRef, useState } from 'react';
import { ApiError } from '../api/http';
import { configs } from '../api/configs';
import { PageHead, useAction } from '../components/common';
import { typeOf, types } from '../editor/languages';
import { CodeEditor } from '../editor/lazy';
import { t } from '../i18n';
import { checkOf, MESH_GROUP, TEMPLATES, type Template } from '../mesh';
import { useNamespaces } from '../namespaces';
import { navigate, useGuard, useQuery, view } from '../router';

export default function ConfigNew() {
  const { current, nameOf } = useNamespaces();
  const [query] = useQuery();
  const [dataId, setDataId] = useState(query.get('dataId') ?? '');
  const [group, setGroup] = useState(query.get('group') ?? 'DEFAULT_GROUP');
  const [type, setType] = useState<string>();
  const [desc, setDesc] = useState('');
  const [tags, setTags] = useState<string[]>([]);
  const [app, setApp] = useState('');
  const [content, setContent] = useState('');
  const [busy, setBusy] = useState(false);
  const underWay = useRef(false);
  const action = useAction();
  const shownType = type ?? typeOf(dataId) ?? (group.trim() === MESH_GROUP ? 'yaml' : 'text');
  useGuard(content !== '' && !busy ? t('Your changes are not published. Leave anyway?') : undefined);

  const begin = (template: Template) => {
    setContent(template.content);
    if (!dataId || TEMPLATES.some((each) => each.dataId === dataId)) setDataId(template.dataId);
  };

  const publish = async () => {
    // A second click comes before the first one is drawn.
    if (underWay.current) return;
    underWay.current = true;
    const key = { namespaceId: current, groupName: group.trim(), dataId: dataId.trim() };
    setBusy(true);
    const done = await action.run(async () => {
      try {
        return await configs.create(key, { content, type: shownType, desc, configTags: tags.join(','), appName: app, encryptedDataKey: '' });
      } catch (failure) {
        if (failure instanceof ApiError && failure.conflict)
          throw new Error(t('This configuration exists already. Open it to change it.'));
        throw failure;
      }
    }, t('Published'));
    underWay.current = false;
    setBusy(false);
    if (done) navigate(view('configs/one', { ns: current, group: key.groupName, dataId: key.dataId }), { unguarded: true });
  };

  return (
    <>
      <PageHead title={t('New configuration')} sub={t('In namespace {name}', { name: nameOf(current) })}>
        <Button onClick={() => navigate(view('configs', { ns: current }))}>{t('Cancel')}</Button>
        <Button type="primary" loading={busy} disabled={busy || !dataId.trim() || !group.trim() || !content} onClick={() => void publish()}>
          {t('Publish')}
        </Button>
      </PageHead>
      <div className="panel">
        <Space wrap size="middle" style={{ marginBottom: 14 }} align="end">
          <label>
            {t('Data ID')}
            <Input style={{ width: 340, display: 'block' }} autoFocus maxLength={256} value={dataId} onChange={(e) => setDataId(e.target.value)} placeholder="orders.yaml" />
          </label>
          <label>
            {t('Group')}
            <Input style={{ width: 220, display: 'block' }} maxLength={128} value={group} onChange={(e) => setGroup(e.target.value)} />
          </label>
          <TypeChoice value={shownType} onChange={setType} />
          <label>
            {t('Tags')}
            <Select mode="tags" open={false} suffixIcon={null} style={{ width: 220, display: 'flex' }} aria-label={t('Tags')} value={tags} onChange={setTags} tokenSeparators={[',']} />
          </label>
          <label>
            {t('Application')}
            <Input style={{ width: 160, display: 'block' }} value={app} onChange={(e) => setApp(e.target.value)} />
          </label>
          <label>
            {t('Description')}
            <Input style={{ width: 300, display: 'block' }} maxLength={256} value={desc} onChange={(e) => setDesc(e.target.value)} />
          </label>
        </Space>
        {group.trim() === MESH_GROUP && (
          <div className="row" style={{ marginBottom: 10 }}>
            <span className="muted">{t('Begin with a template:')}</span>
            {TEMPLATES.map((template) => (
              <Button key={template.dataId} size="small" disabled={content !== '' && !isTemplate(content)} onClick={() => begin(template)}>
                {t(template.name)}
              </Button>
            ))}
          </div>
        )}
        <CodeEditor value={content} type={shownType} label={t('Content')} onChange={setContent} check={checkOf({ namespaceId: current, groupName: group.trim(), dataId: dataId.trim() })} />
      </div>
    </>
  );
}

function isTemplate(content: string): boolean {
  return TEMPLATES.some((each) => each.content === content);
}

export function TypeChoice(props: { value: string; onChange: (type: string) => void; disabled?: boolean }) {
  return (
    <label>
      {t('Type')}
      <Select
        style={{ width: 130, display: 'flex' }}
        aria-label={t('Type')}
        value={props.value}
        onChange={props.onChange}
        disabled={props.disabled}
        options={types.map((type) => ({ value: type, label: type }))}
      />
    </label>
  );
}
