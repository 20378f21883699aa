import { Empty, Input, Table, Tag } from 'antd';
import { useState } from 'react';
import { configs, type ConfigName } from '../../api/configs';
import { Clip, Loaded } from '../../components/common';
import { number, t } from '../../i18n';
import { useRemote } from '../../remote';

type Listener = { address: string; md5: string };

const EVERY_MILLIS = 2500;

/** Who listens, and whether the stored version has arrived there; counted anew every few seconds. */
export function ListenersTab(props: { name: ConfigName; visible: boolean; md5?: string }) {
  const [typed, setTyped] = useState('');
  const remote = useRemote(
    JSON.stringify(props.name),
    async (signal) => {
      const [listeners, stored] = await Promise.all([
        configs.listeners(props.name, signal),
        configs.get(props.name, signal).catch(() => undefined),
      ]);
      const all: Listener[] = Object.entries(listeners.listenersStatus ?? {}).map(([address, md5]) => ({ address, md5 }));
      return { all, md5: stored?.md5 ?? '' };
    },
    { every: props.visible ? EVERY_MILLIS : undefined },
  );
  return (
    <Loaded remote={remote}>
      {({ all, md5 }) => {
        const current = all.filter((listener) => listener.md5 === md5).length;
        const shown = all.filter((listener) => listener.address.includes(typed.trim()));
        return (
          <div className="panel">
            {all.length > 0 && (
              <div style={{ marginBottom: 14 }}>
                <p role="status" style={{ fontSize: 16, margin: '0 0 8px' }}>
                  {t('{n} of {all} have the stored version', { n: number(current), all: number(all.length) })}
                </p>
                <div className="bar" aria-hidden="true">
                  <i style={{ width: `${(100 * current) / all.length}%` }} />
                  <i className="old" style={{ width: `${100 - (100 * current) / all.length}%` }} />
                </div>
              </div>
            )}
            {all.length > 10 && (
              <Input allowClear style={{ width: 260, marginBottom: 12 }} aria-label={t('Search by address')} placeholder={t('Search by address')} value={typed} onChange={(e) => setTyped(e.target.value)} />
            )}
            <Table<Listener>
              size="small"
              rowKey="address"
              dataSource={shown}
              pagination={{ pageSize: 50, hideOnSinglePage: true, showSizeChanger: false }}
              locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('Nobody listens to this configuration at the moment')} /> }}
              showSorterTooltip={false}
              columns={[
                { title: t('Client'), key: 'address', sorter: (a, b) => a.address.localeCompare(b.address), render: (_, l) => <Clip text={l.address} mono /> },
                {
                  title: t('Version'),
                  key: 'state',
                  sorter: (a, b) => Number(a.md5 === md5) - Number(b.md5 === md5),
                  render: (_, l) => (l.md5 === md5 ? <Tag color="success">{t('Stored version')}</Tag> : <Tag color="warning">{t('Another version')}</Tag>),
                },
                { title: 'MD5', key: 'md5', render: (_, l) => <span className="mono">{l.md5}</span> },
              ]}
            />
          </div>
        );
      }}
    </Loaded>
  );
}
