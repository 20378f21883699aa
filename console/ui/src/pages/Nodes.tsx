import { Table } from 'antd';
import { core, type Node } from '../api/core';
import { Dot, Loaded, PageHead } from '../components/common';
import { moment, t } from '../i18n';
import { useRemote } from '../remote';

export default function Nodes() {
  const remote = useRemote('nodes', (signal) => core.nodes(signal), { every: 5000 });
  return (
    <>
      <PageHead title={t('Nodes')} sub={t('The servers of this cluster.')} />
      <Loaded remote={remote}>
        {(nodes) => (
          <div className="table-panel" tabIndex={0}>
            <Table<Node>
              rowKey="address"
              pagination={false}
              dataSource={nodes}
              columns={[
                { title: t('Address'), render: (_, n) => <span className="mono">{n.address ?? `${n.ip}:${n.port}`}</span> },
                { title: t('State'), render: (_, n) => <span><Dot kind={n.state === 'UP' ? 'good' : 'bad'} />{n.state}</span> },
                { title: t('Version'), render: (_, n) => String(n.extendInfo?.version ?? '') },
                { title: t('Last heard of'), render: (_, n) => moment(Number(n.extendInfo?.lastRefreshTime ?? 0)) },
              ]}
            />
          </div>
        )}
      </Loaded>
    </>
  );
}
