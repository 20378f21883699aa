import { Empty, Input, Table, Tag } from 'antd';
import { useState } from 'react';
import { configs, type ConfigName, type Watcher } from '../../api/configs';
import { ClientAddress, placeOf, placeText, type ClientPlace } from '../../components/ClientAddress';
import { Beneath, Clip, Incomplete, Loaded, TableScroll } from '../../components/common';
import { number, t } from '../../i18n';
import { useRemote } from '../../remote';

const EVERY_MILLIS = 2500;

/** Who listens, and whether the stored version has arrived there; counted anew when something happens. */
export function ListenersTab(props: { name: ConfigName; visible: boolean; md5?: string }) {
  const [typed, setTyped] = useState('');
  const remote = useRemote(
    JSON.stringify(props.name),
    async (signal) => {
      const [all, stored] = await Promise.all([
        configs.watchers(props.name, signal),
        configs.get(props.name, signal).catch(() => undefined),
      ]);
      return { silent: all.silent, all: all.data.map((watcher) => ({ ...watcher, place: placeOf(watcher.clientIp, watcher.connectionId) })), md5: stored?.md5 ?? '', releases: stored?.grayReleases ?? [] };
    },
    {
      every: props.visible ? EVERY_MILLIS : undefined,
      live: { ...props.name, when: (event) => event.dataId === props.name.dataId && event.groupName === props.name.groupName },
    },
  );
  return (
    <Loaded remote={remote}>
      {({ all, silent, md5, releases }) => {
        const hasBeta = (listener: Watcher) => listener.md5 !== md5 && releases.some((release) => release.md5 === listener.md5);
        const current = all.filter((listener) => listener.md5 === md5).length;
        const beta = all.filter(hasBeta).length;
        const behind = all.length - current - beta;
        const shown = all.filter((listener) => `${placeText(listener.place)} ${listener.client}`.toLowerCase().includes(typed.trim().toLowerCase()));
        return (
          <div className="panel">
            <Incomplete nodes={silent} />
            {all.length > 0 && (
              <div style={{ marginBottom: 14 }}>
                <p role="status" style={{ fontSize: 16, margin: '0 0 8px' }}>
                  {t('{n} of {all} have the stored version', { n: number(current), all: number(all.length) })}
                  {beta > 0 && ` · ${t('{n} with a beta', { n: number(beta) })}`}
                </p>
                <div className="bar" aria-hidden="true">
                  <i style={{ width: `${(100 * current) / all.length}%` }} />
                  <i className="beta" style={{ width: `${(100 * beta) / all.length}%` }} />
                  <i className="old" style={{ width: `${(100 * behind) / all.length}%` }} />
                </div>
              </div>
            )}
            {all.length > 0 && (
              <Input allowClear style={{ width: 260, maxWidth: '100%', marginBottom: 12 }} aria-label={t('Search by address')} placeholder={t('Search by address')} value={typed} onChange={(e) => setTyped(e.target.value)} />
            )}
            <TableScroll>
              <Table<Watcher & { place: ClientPlace }>
                size="small"
                rowKey={(l) => `${l.connectionId} ${l.clientIp}`}
                dataSource={shown}
                pagination={{ pageSize: 50, hideOnSinglePage: true, showSizeChanger: false }}
                locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('No client listens to this configuration at the moment')} /> }}
                showSorterTooltip={false}
                columns={[
                  { title: t('Client'), key: 'address', sorter: (a, b) => placeText(a.place).localeCompare(placeText(b.place)), render: (_, l) => <><ClientAddress place={l.place} /><Beneath><Clip text={l.client} width={180} /></Beneath></> },
                  { title: t('SDK'), key: 'client', responsive: ['md'], sorter: (a, b) => a.client.localeCompare(b.client), render: (_, l) => <Clip text={l.client} width={240} /> },
                  {
                    title: t('Version'),
                    key: 'state',
                    sorter: (a, b) => Number(a.md5 === md5) - Number(b.md5 === md5),
                    render: (_, l) =>
                      l.md5 === md5 ? <Tag color="success">{t('Stored version')}</Tag> : hasBeta(l) ? <Tag color="processing">{t('Beta')}</Tag> : <Tag color="warning">{t('Another version')}</Tag>,
                  },
                  { title: 'MD5', key: 'md5', responsive: ['md'], render: (_, l) => <span className="mono">{l.md5}</span> },
                ]}
              />
            </TableScroll>
          </div>
        );
      }}
    </Loaded>
  );
}
