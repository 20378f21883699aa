import { Progress, Table } from 'antd';
import { core, type Limit } from '../api/core';
import { Loaded, PageHead, Problem } from '../components/common';
import { bytes, number, t } from '../i18n';
import { limitName } from '../limits';
import { useRemote } from '../remote';

function amount(limit: Limit, value: number): string {
  return limit.name.endsWith('-bytes') ? bytes(value) : number(value);
}

export default function Settings() {
  const state = useRemote('state', (signal) => core.state(signal));
  const limits = useRemote('limits', (signal) => core.limits(signal), { every: 5000 });
  return (
    <>
      <PageHead title={t('Settings')} sub={t('The state of this server. Change settings in conf/application.properties.')} />
      <h2 className="panel-title">{t('Limits')}</h2>
      {limits.error && !limits.data ? (
        <Problem error={limits.error} />
      ) : (
        <div className="table-panel" tabIndex={0}>
          <Table<Limit>
            rowKey="name"
            size="small"
            pagination={false}
            dataSource={limits.data ?? []}
            columns={[
              { title: t('Limit'), render: (_, l) => <>{limitName(l.name)}<div className="muted mono">{l.setting}</div></> },
              {
                title: t('Used'),
                render: (_, l) =>
                  l.max > 0 && <Progress size={[140, 6]} percent={Math.min(100, (100 * l.used) / l.max)} showInfo={false} status={l.used >= l.max * 0.9 ? 'exception' : 'normal'} aria-label={limitName(l.name)} />,
              },
              { title: t('Now / limit'), align: 'right', render: (_, l) => <span className="nowrap">{amount(l, l.used)} / {l.max > 0 ? amount(l, l.max) : '–'}</span> },
              { title: t('Times exceeded'), align: 'right', render: (_, l) => number(l.exceeded) },
            ]}
          />
        </div>
      )}
      <h2 className="panel-title" style={{ marginTop: 24 }}>{t('Settings')}</h2>
      <Loaded remote={state}>
        {(data) => (
          <dl className="kv panel">
            {Object.entries(data)
              .sort(([a], [b]) => a.localeCompare(b))
              .map(([name, value]) => [
                <dt key={`${name}-name`} className="mono">{name}</dt>,
                <dd key={name} className="mono">{value === null || value === '' ? '–' : String(value)}</dd>,
              ])}
          </dl>
        )}
      </Loaded>
    </>
  );
}
