import { InboxOutlined } from '@ant-design/icons';
import { Alert, Button, Space, Table, Tag, Upload } from 'antd';
import { useState } from 'react';
import { configs, type ImportPreview, type ImportResult } from '../api/configs';
import { Clip, Link, PageHead, useAction } from '../components/common';
import { number, t, type Text } from '../i18n';
import { useNamespaces } from '../namespaces';
import { view } from '../router';
import { PolicyChoice } from './ConfigList';

const ACTIONS: Record<ImportPreview['items'][number]['action'], { text: Text; color: string }> = {
  CREATE: { text: 'Created', color: 'success' },
  UPDATE: { text: 'Overwritten', color: 'warning' },
  SAME: { text: 'Same already', color: 'default' },
  SKIP: { text: 'Left as it is', color: 'default' },
  FAIL: { text: 'Stops here', color: 'error' },
};

/** Brings in an exported archive, after a dry run that shows what would become of each configuration. */
export default function Import() {
  const { current, nameOf } = useNamespaces();
  const [file, setFile] = useState<File>();
  const [policy, setPolicy] = useState('ABORT');
  const [preview, setPreview] = useState<ImportPreview>();
  const [result, setResult] = useState<ImportResult>();
  const [busy, setBusy] = useState(false);
  const action = useAction();

  const choose = (chosen: File | undefined, how: string) => {
    setFile(chosen);
    setPolicy(how);
    setPreview(undefined);
    setResult(undefined);
    if (chosen) {
      setBusy(true);
      void action.run(() => configs.previewImport(current, how, chosen)).then((answer) => {
        setPreview(answer);
        setBusy(false);
      });
    }
  };
  const run = async () => {
    if (!file) return;
    setBusy(true);
    const answer = await action.run(() => configs.import(current, policy, file));
    setBusy(false);
    if (answer) {
      setResult(answer);
      setPreview(undefined);
    }
  };
  return (
    <>
      <PageHead title={t('Import')} sub={t('Into namespace {name}', { name: nameOf(current) })} />
      <div className="panel">
        <Space orientation="vertical" size="middle" style={{ width: '100%' }}>
          <Upload.Dragger
            accept=".zip"
            maxCount={1}
            beforeUpload={(chosen) => {
              choose(chosen, policy);
              return false;
            }}
            onRemove={() => choose(undefined, policy)}
          >
            <p className="ant-upload-drag-icon"><InboxOutlined aria-hidden /></p>
            <p>{t('Drop a zip here that was exported from Cairn or Nacos, or choose one')}</p>
          </Upload.Dragger>
          <PolicyChoice value={policy} onChange={(how) => choose(file, how)} />
          {preview && (
            <>
              <p role="status" style={{ margin: 0 }}>
                {t('Dry run: {create} would be created, {update} overwritten, {same} are the same already, {skip} left as they are', {
                  create: number(preview.create),
                  update: number(preview.update),
                  same: number(preview.same),
                  skip: number(preview.skip),
                })}
              </p>
              {preview.fail > 0 && <Alert type="warning" showIcon title={t('{n} exist already: the import would stop there. Choose what happens to them above.', { n: preview.fail })} />}
              <Table
                size="small"
                rowKey={(item) => `${item.groupName} ${item.dataId}`}
                dataSource={preview.items}
                pagination={{ pageSize: 20, hideOnSinglePage: true, showSizeChanger: false }}
                expandable={{
                  rowExpandable: (item) => item.diff !== '',
                  expandedRowRender: (item) => <pre className="snippet" tabIndex={0}>{item.diff}{item.diffIsCut ? '\n…' : ''}</pre>,
                }}
                columns={[
                  { title: t('Data ID'), render: (_, item) => <Clip text={item.dataId} /> },
                  { title: t('Group'), render: (_, item) => <Clip text={item.groupName} width={240} /> },
                  { title: t('What'), render: (_, item) => <Tag color={ACTIONS[item.action].color}>{t(ACTIONS[item.action].text)}</Tag> },
                ]}
              />
            </>
          )}
          <Button type="primary" disabled={!file || result !== undefined} loading={busy} onClick={() => void run()}>{t('Import')}</Button>
          {result && (
            <Alert
              type={result.succCount > 0 ? 'success' : 'warning'}
              showIcon
              title={t('{n} imported, {skipped} left out', { n: number(result.succCount), skipped: number(result.skipCount + (result.failData?.length ?? 0)) })}
              description={<Link to={view('configs', { ns: current })}>{t('Configurations')}</Link>}
            />
          )}
        </Space>
      </div>
    </>
  );
}
