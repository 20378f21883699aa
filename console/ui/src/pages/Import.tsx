import { InboxOutlined } from '@ant-design/icons';
import { Alert, Button, Space, Upload } from 'antd';
import { useState } from 'react';
import { configs } from '../api/configs';
import { Link, PageHead, useAction } from '../components/common';
import { t } from '../i18n';
import { useNamespaces } from '../namespaces';
import { view } from '../router';
import { PolicyChoice } from './ConfigList';

export default function Import() {
  const { current, nameOf } = useNamespaces();
  const [file, setFile] = useState<File>();
  const [policy, setPolicy] = useState('ABORT');
  const [result, setResult] = useState<Record<string, unknown>>();
  const [busy, setBusy] = useState(false);
  const action = useAction();
  const run = async () => {
    if (!file) return;
    setBusy(true);
    const answer = await action.run(() => configs.import(current, policy, file, false));
    setBusy(false);
    if (answer) setResult(answer);
  };
  const count = (name: string) => (typeof result?.[name] === 'number' ? (result[name] as number) : 0);
  return (
    <>
      <PageHead title={t('Import')} sub={t('Into namespace {name}', { name: nameOf(current) })} />
      <div className="panel" style={{ maxWidth: 760 }}>
        <Space orientation="vertical" size="middle" style={{ width: '100%' }}>
          <Upload.Dragger
            accept=".zip"
            maxCount={1}
            beforeUpload={(chosen) => {
              setFile(chosen);
              setResult(undefined);
              return false;
            }}
            onRemove={() => setFile(undefined)}
          >
            <p className="ant-upload-drag-icon"><InboxOutlined /></p>
            <p>{t('Drop a zip here that was exported from Cairn or Nacos, or choose one')}</p>
          </Upload.Dragger>
          <PolicyChoice value={policy} onChange={setPolicy} />
          <Button type="primary" disabled={!file} loading={busy} onClick={() => void run()}>{t('Import')}</Button>
          {result && (
            <Alert
              type={count('succCount') > 0 ? 'success' : 'warning'}
              showIcon
              title={t('{n} imported, {skipped} left out', { n: count('succCount'), skipped: count('skipCount') })}
              description={<Link to={view('configs', { ns: current })}>{t('Configurations')}</Link>}
            />
          )}
        </Space>
      </div>
    </>
  );
}
