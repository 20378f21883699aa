import { Input, InputNumber } from 'antd';
import { useState } from 'react';
import { services, type Service, type ServiceName } from '../../api/services';
import { Dialog } from '../../components/Dialog';
import { useAction } from '../../components/common';
import { MetadataEditor } from '../../components/MetadataEditor';
import { t } from '../../i18n';

function selectorOf(expression: string): Service['selector'] {
  return expression === '' ? { type: 'none' } : { type: 'label', expression };
}

export function ServiceSettings(props: { service: Service; name: ServiceName; close: () => void; changed: () => void }) {
  const [threshold, setThreshold] = useState<number | null>(props.service.protectThreshold);
  const [expression, setExpression] = useState(props.service.selector.expression ?? '');
  const [metadata, setMetadata] = useState<Record<string, string> | undefined>(props.service.metadata ?? {});
  const action = useAction();
  return (
    <Dialog
      width={600}
      title={t('Settings of {name}', { name: props.name.serviceName })}
      okText={t('Save')}
      cancelText={t('Cancel')}
      okButtonProps={{ disabled: !metadata || threshold === null }}
      onCancel={props.close}
      onOk={async () => {
        const done = await action.run(
          () =>
            services.update(props.name, {
              protectThreshold: threshold ?? 0,
              metadata: JSON.stringify(metadata),
              selector: JSON.stringify(selectorOf(expression.trim())),
            }),
          t('Saved'),
        );
        if (done) {
          props.changed();
          props.close();
        }
      }}
    >
      <label>
        <div>{t('Protection threshold (0 to 1)')}</div>
        <InputNumber min={0} max={1} step={0.1} value={threshold} onChange={setThreshold} />
      </label>
      <p className="muted">{t('When the share of healthy instances is below this, clients get all instances.')}</p>
      <label>
        <div>{t('Label selector')}</div>
        <Input
          className="mono"
          autoComplete="off"
          placeholder="CONSUMER.label.site=PROVIDER.label.site"
          value={expression}
          onChange={(event) => setExpression(event.target.value)}
        />
      </label>
      <p className="muted">{t('Clients get only instances whose address has the same labels as theirs; without such instances they get all.')}</p>
      <div className="panel-title">{t('Metadata')}</div>
      <MetadataEditor value={props.service.metadata ?? {}} onChange={setMetadata} />
    </Dialog>
  );
}
