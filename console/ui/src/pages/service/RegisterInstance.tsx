import { Alert, Form, Input, InputNumber, Switch } from 'antd';
import { useState } from 'react';
import { services, type ServiceName } from '../../api/services';
import { Dialog } from '../../components/Dialog';
import { useSingleAction } from '../../components/common';
import { MetadataEditor } from '../../components/MetadataEditor';
import { t } from '../../i18n';

type Values = { ip: string; port: number; clusterName: string; weight: number; enabled: boolean };

export function RegisterInstance(props: { name: ServiceName; ephemeral: boolean; close: () => void; changed: () => void }) {
  const [form] = Form.useForm<Values>();
  const [metadata, setMetadata] = useState<Record<string, string> | undefined>({});
  const action = useSingleAction();
  const register = async (values: Values) => {
    const done = await action.run(
      () => services.register(props.name, { ...values, ephemeral: props.ephemeral, metadata: JSON.stringify(metadata ?? {}) }),
      t('Registered'),
    );
    if (done) {
      props.changed();
      props.close();
    }
  };
  return (
    <Dialog width={560} title={t('Register an instance')} okText={t('Register')} cancelText={t('Cancel')} okButtonProps={{ disabled: !metadata }} onCancel={props.close} onOk={() => form.submit()}>
      {props.ephemeral && (
        <Alert type="warning" showIcon style={{ marginBottom: 12 }} title={t('This service is ephemeral: an instance without heartbeats is removed after a while.')} />
      )}
      <Form<Values> form={form} layout="vertical" onFinish={register} requiredMark={false} initialValues={{ clusterName: 'DEFAULT', weight: 1, enabled: true }}>
        <div className="row" style={{ alignItems: 'start' }}>
          <Form.Item name="ip" label={t('IP address or host')} rules={[{ required: true, message: t('Needed') }]} className="grow">
            <Input autoFocus />
          </Form.Item>
          <Form.Item name="port" label={t('Port')} rules={[{ required: true, message: t('Needed') }, { type: 'integer', min: 0, max: 65535, message: t('{min} to {max}', { min: 0, max: 65535 }) }]}>
            <InputNumber />
          </Form.Item>
        </div>
        <div className="row" style={{ alignItems: 'start' }}>
          <Form.Item name="clusterName" label={t('Cluster')} rules={[{ required: true, message: t('Needed') }]} className="grow">
            <Input />
          </Form.Item>
          <Form.Item name="weight" label={t('Weight')} rules={[{ type: 'number', min: 0, max: 10000, message: t('{min} to {max}', { min: 0, max: 10000 }) }]}>
            <InputNumber />
          </Form.Item>
          <Form.Item name="enabled" label={t('Receives traffic')} valuePropName="checked">
            <Switch />
          </Form.Item>
        </div>
      </Form>
      <div className="panel-title">{t('Metadata')}</div>
      <MetadataEditor value={{}} onChange={setMetadata} />
    </Dialog>
  );
}
