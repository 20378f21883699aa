import { EditOutlined } from '@ant-design/icons';
import { Button, Form, Input, InputNumber, Select, Switch } from 'antd';
import { useState } from 'react';
import { services, type Cluster, type Service, type ServiceName } from '../../api/services';
import { Dialog } from '../../components/Dialog';
import { useSingleAction } from '../../components/common';
import { MetadataEditor } from '../../components/MetadataEditor';
import { t } from '../../i18n';
import { Metadata } from '../ServicePage';

const NEW_CLUSTER = { healthChecker: { type: 'TCP' }, healthyCheckPort: 80, useInstancePortForCheck: true, metadata: {} };

function describe(cluster: Cluster): string {
  const { healthChecker } = cluster;
  if (healthChecker.type.toUpperCase() === 'NONE') return t('Health is not checked');
  const where = cluster.useInstancePortForCheck ? t('on its own port') : t('on port {port}', { port: cluster.healthyCheckPort });
  return `${t('Health check')}: ${healthChecker.type}${healthChecker.path ? ` ${healthChecker.path}` : ''} ${where}`;
}

type Values = { type: string; path?: string; headers?: string; checkPort: number; useInstancePort: boolean };

/** The head of a cluster: its name and how its persistent instances are checked. */
export function ClusterSettings(props: { service: Service; cluster: string; name: ServiceName; mayWrite: boolean; changed: () => void }) {
  const cluster: Cluster = props.service.clusterMap[props.cluster] ?? { clusterName: props.cluster, ...NEW_CLUSTER };
  const [open, setOpen] = useState(false);
  return (
    <div className="row">
      <h2 className="panel-title" style={{ margin: 0 }}>{t('Cluster {name}', { name: props.cluster })}</h2>
      {!props.service.ephemeral && <span className="muted">{describe(cluster)}</span>}
      <Metadata metadata={cluster.metadata ?? {}} />
      <span className="grow" />
      {props.mayWrite && <Button size="small" type="text" icon={<EditOutlined aria-hidden />} onClick={() => setOpen(true)}>{t('Health check and metadata')}</Button>}
      {open && <Edit {...props} settings={cluster} close={() => setOpen(false)} />}
    </div>
  );
}

function Edit(props: { settings: Cluster; cluster: string; name: ServiceName; changed: () => void; close: () => void }) {
  const { settings } = props;
  const [form] = Form.useForm<Values>();
  const [metadata, setMetadata] = useState<Record<string, string> | undefined>(settings.metadata ?? {});
  const type = Form.useWatch('type', form) ?? settings.healthChecker.type;
  const own = Form.useWatch('useInstancePort', form) ?? settings.useInstancePortForCheck;
  const action = useSingleAction();
  const save = async (values: Values) => {
    const checker: Record<string, unknown> = { ...(values.type === settings.healthChecker.type ? settings.healthChecker : {}), type: values.type };
    if (values.type === 'HTTP') {
      checker.path = values.path ?? '';
      checker.headers = values.headers ?? '';
    }
    const done = await action.run(
      () =>
        services.updateCluster(props.name, {
          clusterName: props.cluster,
          checkPort: values.checkPort ?? settings.healthyCheckPort,
          useInstancePort4Check: values.useInstancePort,
          healthChecker: JSON.stringify(checker),
          metadata: JSON.stringify(metadata ?? {}),
        }),
      t('Saved'),
    );
    if (done) {
      props.changed();
      props.close();
    }
  };
  return (
    <Dialog width={600} title={t('Cluster {name}', { name: props.cluster })} okText={t('Save')} cancelText={t('Cancel')} okButtonProps={{ disabled: !metadata }} onCancel={props.close} onOk={() => form.submit()}>
      <p className="muted">{t('The health check applies to persistent instances; ephemeral ones are kept alive by their clients.')}</p>
      <Form<Values>
        form={form}
        layout="vertical"
        requiredMark={false}
        onFinish={save}
        initialValues={{
          type: settings.healthChecker.type,
          path: settings.healthChecker.path,
          headers: settings.healthChecker.headers,
          checkPort: settings.healthyCheckPort,
          useInstancePort: settings.useInstancePortForCheck,
        }}
      >
        <Form.Item name="type" label={t('Health check')}>
          <Select options={['TCP', 'HTTP', 'MYSQL', 'NONE'].map((value) => ({ value, label: value }))} />
        </Form.Item>
        {type === 'HTTP' && (
          <>
            <Form.Item name="path" label={t('Path')}>
              <Input placeholder="/health" />
            </Form.Item>
            <Form.Item name="headers" label={t('Headers (name:value|name:value)')}>
              <Input />
            </Form.Item>
          </>
        )}
        <Form.Item name="useInstancePort" label={t('Check on the port of the instance')} valuePropName="checked">
          <Switch />
        </Form.Item>
        {!own && (
          <Form.Item name="checkPort" label={t('Port of the check')}>
            <InputNumber min={0} max={65535} />
          </Form.Item>
        )}
      </Form>
      <div className="panel-title">{t('Metadata')}</div>
      <MetadataEditor value={settings.metadata ?? {}} onChange={setMetadata} />
    </Dialog>
  );
}
