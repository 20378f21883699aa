import { Alert, Button, Table, Tag, Tooltip } from 'antd';
import type { ReactNode } from 'react';
import { core, type ClusterStatus, type NodeOfCluster } from '../api/core';
import { Beneath, Dot, Incomplete, Loaded, OpeningColumn, PageHead, useConfirm, useSingleAction } from '../components/common';
import { duration, moment, number, t, type Text } from '../i18n';
import { useRemote } from '../remote';

const EVERY_MILLIS = 3000;
/** A clock that is further away is shown as a problem; clients and logs are confused long before nodes are. */
const CLOCK_MILLIS = 1000;

type Kind = 'good' | 'warn' | 'bad' | 'none';

const STATES: Record<string, { text: Text; kind: Kind }> = {
  READY: { text: 'In service', kind: 'good' },
  JOINING: { text: 'Joining', kind: 'warn' },
  DRAINING: { text: 'Draining', kind: 'warn' },
  ISOLATED: { text: 'Isolated', kind: 'bad' },
  SUSPECTED: { text: 'Silent', kind: 'bad' },
  ABSENT: { text: 'Away', kind: 'bad' },
  INCOMPATIBLE: { text: 'Incompatible', kind: 'bad' },
};

/** The state that the node says, or that it is not reached. */
function stateOf(node: NodeOfCluster): { name: string; text: string; kind: Kind } {
  const name = node.presence === 'PRESENT' ? node.state : node.presence;
  const known = STATES[name];
  return { name, text: known ? t(known.text) : name, kind: known?.kind ?? 'none' };
}

function State(props: { node: NodeOfCluster; action: ReactNode }) {
  const { node } = props;
  const state = stateOf(node);
  return (
    <>
      <Tooltip title={node.since ? t('since {time}', { time: moment(node.since) }) : undefined}>
        <span className="nowrap"><Dot kind={state.kind} />{state.text}</span>
      </Tooltip>
      {node.reason && <div className="muted wrap node-reason">{node.reason}</div>}
      <Beneath>{props.action}</Beneath>
    </>
  );
}

function Copies(props: { equal?: boolean }) {
  if (props.equal === undefined) return <span className="muted">–</span>;
  return props.equal ? <Tag color="success">{t('Equal')}</Tag> : <Tag color="error">{t('Different')}</Tag>;
}

function behind(changes: number, millis: number) {
  return changes === 0 ? '0' : `${number(changes)} · ${duration(millis)}`;
}

function Clock(props: { millis?: number }) {
  const { millis } = props;
  if (millis === undefined) return <span className="muted">–</span>;
  const text = `${millis > 0 ? '+' : ''}${number(millis)} ms`;
  return Math.abs(millis) >= CLOCK_MILLIS ? <Tag color="warning">{text}</Tag> : <span className="nowrap">{text}</span>;
}

/** How far the node has what each other one owns. */
function CopiesOf(props: { node: NodeOfCluster }) {
  return (
    <Table
      size="small"
      rowKey="owner"
      pagination={false}
      dataSource={props.node.copies}
      columns={[
        { title: t('Copy of'), render: (_, c) => <span className="mono">{c.owner}</span> },
        { title: t('Registrations'), align: 'right', render: (_, c) => number(c.entries) },
        { title: t('Behind'), align: 'right', render: (_, c) => <span className="nowrap">{behind(c.behind, c.behindMillis)}</span> },
        { title: t('Copies'), render: (_, c) => <Copies equal={c.digestsEqual} /> },
      ]}
    />
  );
}

export default function Nodes() {
  const remote = useRemote('nodes', (signal) => core.clusterStatus(signal), { every: EVERY_MILLIS });
  const confirm = useConfirm();
  const action = useSingleAction();
  const status = remote.data?.data;

  const move = (title: string, text: string, button: string, run: () => Promise<unknown>, done: string) =>
    confirm({ title, text, button, run: async () => { if (await action.run(run, done)) remote.reload(); } });
  const drain = (node: NodeOfCluster) =>
    move(
      t('Drain {node}?', { node: node.address }),
      t('Its clients are asked to move to the other nodes, and new ones are sent there. The server keeps running until you stop it.'),
      t('Drain'),
      () => core.drain(node.address),
      t('Its clients are asked to move'),
    );
  const undrain = (node: NodeOfCluster) =>
    move(
      t('End the drain of {node}?', { node: node.address }),
      t('The node is in service again and accepts clients. Those that have moved stay where they are until connections are rebalanced.'),
      t('End the drain'),
      () => core.undrain(node.address),
      t('The node accepts clients again'),
    );
  const rebalance = () =>
    move(
      t('Rebalance connections?'),
      t('Nodes with more clients than their share ask the surplus to move to nodes with fewer. Nothing that clients have registered is lost.'),
      t('Rebalance'),
      () => core.rebalance(),
      t('Connections are being rebalanced'),
    );

  const actionOf = (node: NodeOfCluster): ReactNode =>
    node.presence !== 'PRESENT' ? null : node.state === 'DRAINING' ? (
      <Button size="small" aria-label={t('End the drain of {node}', { node: node.address })} onClick={() => undrain(node)}>{t('End the drain')}</Button>
    ) : (
      <Button size="small" danger aria-label={t('Drain {node}', { node: node.address })} onClick={() => drain(node)}>{t('Drain')}</Button>
    );

  return (
    <>
      <PageHead title={t('Nodes')} sub={status && subtitle(status)}>
        {status?.cluster && <Button onClick={rebalance}>{t('Rebalance')}</Button>}
      </PageHead>
      <Loaded remote={remote}>
        {({ data, silent }) => (
          <>
            {!data.cluster && (
              <Alert
                style={{ marginBottom: 12 }}
                type="info"
                showIcon
                title={t('This is a single server. Several servers with one MySQL, MariaDB or PostgreSQL database are a cluster: name them in conf/cluster.conf and start each with bin/startup.sh -m cluster.')}
              />
            )}
            <Incomplete nodes={silent} />
            <div className="table-panel" tabIndex={0}>
              <Table<NodeOfCluster>
                rowKey="address"
                size="middle"
                pagination={false}
                dataSource={data.nodes}
                scroll={{ x: 'max-content' }}
                expandable={data.cluster ? { columnTitle: <OpeningColumn />, expandedRowRender: (n) => <CopiesOf node={n} />, rowExpandable: (n) => n.copies.length > 0 } : undefined}
                columns={[
                  {
                    title: t('Address'),
                    render: (_, n) => (
                      <>
                        <span className="mono nowrap">{n.address}</span>
                        {data.cluster && n.address === data.node && <div className="muted">{t('This page is from here')}</div>}
                        <Beneath>{n.version}</Beneath>
                        <Beneath>{t('Clients')}: {number(n.connections)}</Beneath>
                      </>
                    ),
                  },
                  { title: t('State'), render: (_, n) => <State node={n} action={data.cluster && actionOf(n)} /> },
                  { title: t('Version'), responsive: ['lg'], render: (_, n) => <span className="nowrap">{n.version || '–'}</span> },
                  { title: t('Uptime'), responsive: ['md'], align: 'right', render: (_, n) => <span className="nowrap">{n.startedAt && n.presence !== 'ABSENT' ? duration(Date.now() - n.startedAt) : '–'}</span> },
                  { title: t('Clients'), responsive: ['md'], align: 'right', render: (_, n) => number(n.connections) },
                  { title: t('Own'), responsive: ['md'], align: 'right', render: (_, n) => number(n.owned) },
                  { title: t('Mirrored'), hidden: !data.cluster, responsive: ['lg'], align: 'right', render: (_, n) => (n.answered ? number(n.mirrored) : '–') },
                  { title: t('Behind'), hidden: !data.cluster, responsive: ['md'], align: 'right', render: (_, n) => <span className="nowrap">{n.answered ? behind(n.behind, n.behindMillis) : '–'}</span> },
                  { title: t('Copies'), hidden: !data.cluster, responsive: ['md'], render: (_, n) => <Copies equal={n.digestsEqual} /> },
                  {
                    title: t('Revision'),
                    hidden: !data.cluster,
                    responsive: ['lg'],
                    align: 'right',
                    render: (_, n) => <span className="nowrap">{n.revision > 0 ? number(n.revision) : '–'}{n.revisionsBehind > 0 && <Tag color="warning" style={{ marginInlineStart: 6 }}>−{number(n.revisionsBehind)}</Tag>}</span>,
                  },
                  { title: t('Clock'), hidden: !data.cluster, responsive: ['lg'], align: 'right', render: (_, n) => <Clock millis={n.clockOffsetMillis} /> },
                  { title: t('Actions'), hidden: !data.cluster, responsive: ['md'], align: 'right', fixed: 'end', render: (_, n) => actionOf(n) },
                ]}
              />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

function subtitle(status: ClusterStatus): string {
  if (!status.cluster) return t('A single server.');
  const ready = status.nodes.filter((node) => stateOf(node).name === 'READY').length;
  return t('{n} of {all} nodes are in service', { n: number(ready), all: number(status.nodes.length) });
}
