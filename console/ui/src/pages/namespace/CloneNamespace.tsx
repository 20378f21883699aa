import { Alert, Select, Skeleton, Space } from 'antd';
import { useState } from 'react';
import { configs } from '../../api/configs';
import type { Namespace } from '../../api/core';
import { Dialog } from '../../components/Dialog';
import { Problem, useAction } from '../../components/common';
import { number, t } from '../../i18n';
import { idOf, useNamespaces } from '../../namespaces';
import { useRemote } from '../../remote';
import { navigate, view } from '../../router';
import { PolicyChoice } from '../ConfigList';
import { Preview } from '../import/Preview';

/** Copies all configurations of a namespace into another one, after a dry run. */
export function CloneNamespace(props: { source: Namespace; close: () => void }) {
  const { source } = props;
  const { all } = useNamespaces();
  const [target, setTarget] = useState<string>();
  const [policy, setPolicy] = useState('SKIP');
  const action = useAction();
  const preview = useRemote(
    target && JSON.stringify([target, policy]),
    (signal) => configs.previewCloneAll(idOf(source), target!, policy, signal),
    { keep: false },
  );
  const clone = async () => {
    const done = await action.run(() => configs.cloneAll(idOf(source), target!, policy));
    if (!done) return;
    action.message.success(t('{n} cloned, {skipped} skipped', { n: number(done.succCount), skipped: number(done.skipCount + (done.failData?.length ?? 0)) }));
    all.reload();
    props.close();
    navigate(view('configs', { ns: target }));
  };
  return (
    <Dialog
      width={760}
      title={t('Clone {name}', { name: source.namespaceShowName })}
      okText={t('Clone')}
      cancelText={t('Cancel')}
      okButtonProps={{ disabled: !preview.data || preview.data.create + preview.data.update === 0 }}
      onCancel={props.close}
      onOk={clone}
    >
      <Space orientation="vertical" size="middle" style={{ width: '100%' }}>
        <span className="muted">{t('All its configurations are copied; services belong to the clients that register them.')}</span>
        <label>
          {t('Into namespace')}
          <Select
            style={{ width: '100%' }}
            showSearch={{ optionFilterProp: 'label' }}
            aria-label={t('Into namespace')}
            value={target}
            onChange={setTarget}
            options={(all.data ?? []).filter((n) => idOf(n) !== idOf(source)).map((n) => ({ value: idOf(n), label: n.namespaceShowName }))}
          />
        </label>
        <PolicyChoice value={policy} onChange={setPolicy} />
        {target && preview.error && <Problem error={preview.error} />}
        {target && !preview.data && !preview.error && <Skeleton active paragraph={{ rows: 3 }} />}
        {preview.data && (preview.data.items.length > 0 ? <Preview preview={preview.data} /> : <Alert type="info" showIcon title={t('There is nothing to clone.')} />)}
      </Space>
    </Dialog>
  );
}
