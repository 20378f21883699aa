import { CopyOutlined, DeleteOutlined } from '@ant-design/icons';
import { Alert, Button, Tabs } from 'antd';
import { useState } from 'react';
import { configs, type ConfigName } from '../api/configs';
import { releases } from '../api/releases';
import { copy } from '../clipboard';
import { Link, Loaded, PageHead, useAction, useConfirm } from '../components/common';
import { moment, t } from '../i18n';
import { useNamespaces } from '../namespaces';
import { useRemote } from '../remote';
import { Changeable, useMayWrite } from '../rights';
import { navigate, useQuery, view } from '../router';
import { BetaTab } from './config/BetaTab';
import { EditTab } from './config/EditTab';
import { addressesText, BETA, GrayOutlives } from './config/Gray';
import { HistoryTab } from './config/HistoryTab';
import { ReleaseList } from './config/ReleaseList';
import { ListenersTab } from './config/ListenersTab';
import { SnippetsTab } from './config/SnippetsTab';

const TABS = ['content', 'listeners', 'history', 'beta', 'code'];

export default function ConfigPage() {
  const { current, nameOf } = useNamespaces();
  const [query, change] = useQuery();
  const key: ConfigName = { namespaceId: current, groupName: query.get('group') ?? '', dataId: query.get('dataId') ?? '' };
  const named = query.get('tab');
  const tab = named && TABS.includes(named) ? named : 'content';
  const id = JSON.stringify(key);
  const mayWrite = useMayWrite('config', key.groupName, key.dataId);
  const remote = useRemote(id, (signal) => configs.get(key, signal), { keep: false });
  const action = useAction();
  const confirm = useConfirm();
  const [visited, setVisited] = useState(new Set<string>());
  const config = remote.data;
  if (!visited.has(tab)) setVisited(new Set(visited).add(tab));

  const remove = async () => {
    // A beta may have been started since the page was loaded.
    const now = await configs.get(key).catch(() => config);
    confirm({
      title: t('Delete this configuration?'),
      text: (
        <>
          <p>{t('Clients are notified that it is deleted. Its history is kept.')}</p>
          <GrayOutlives releases={now?.grayReleases} />
        </>
      ),
      button: t('Delete'),
      danger: true,
      run: async () => {
        const done = await action.run(() => configs.remove(key), t('Deleted'));
        if (done) navigate(view('configs', { ns: current }), { unguarded: true });
      },
    });
  };
  const absent = remote.error?.absent && !config;

  return (
    <>
      <PageHead
        title={<bdi>{key.dataId}</bdi>}
        sub={
          <span className="wrap">
            <bdi>{key.groupName}</bdi> · {nameOf(current)}
            {config && (
              <>
                {config.type && ` · ${config.type}`} · {t('changed {when}', { when: moment(config.modifyTime) || '–' })}
                {config.createUser ? ` · ${config.createUser}` : ''}
              </>
            )}
          </span>
        }
      >
        {config && (
          <>
            <Button
              icon={<CopyOutlined aria-hidden />}
              onClick={() => void action.run(() => copy(config.content), t('Copied'))}
            >
              {t('Copy content')}
            </Button>
            {mayWrite && <Button icon={<DeleteOutlined aria-hidden />} danger onClick={() => void remove()}>{t('Delete')}</Button>}
          </>
        )}
      </PageHead>
      <Tabs
        activeKey={tab}
        onChange={(next) => change({ tab: next === 'content' ? undefined : next })}
        items={[
          {
            key: 'content',
            label: t('Content'),
            children: absent ? (
              <Absent name={key} mayWrite={mayWrite} />
            ) : (
              <Loaded remote={remote}>
                {(data) => (
                  <Changeable may={mayWrite}>
                    <EditTab key={id} stored={data} name={key} mayWrite={mayWrite} changed={remote.reload} />
                  </Changeable>
                )}
              </Loaded>
            ),
          },
          {
            key: 'listeners',
            label: t('Listeners'),
            children: visited.has('listeners') && <ListenersTab key={id} name={key} visible={tab === 'listeners'} md5={config?.md5} />,
          },
          { key: 'history', label: t('History'), children: visited.has('history') && <HistoryTab key={id} name={key} mayWrite={mayWrite} changed={remote.reload} /> },
          {
            key: 'beta',
            label: t('Beta'),
            children:
              visited.has('beta') &&
              (absent ? (
                <Absent name={key} mayWrite={mayWrite} />
              ) : (
                <Loaded remote={remote}>
                  {(data) => (
                    <Changeable may={mayWrite}>
                      <BetaTab key={id} name={key} stored={data} changed={remote.reload} />
                    </Changeable>
                  )}
                </Loaded>
              )),
          },
          { key: 'code', label: t('Code examples'), children: visited.has('code') && <SnippetsTab name={key} /> },
        ]}
      />
    </>
  );
}

function Absent(props: { name: ConfigName; mayWrite: boolean }) {
  const { namespaceId, groupName, dataId } = props.name;
  // Releases outlive their configuration: they are seen and ended here.
  const left = useRemote(JSON.stringify(props.name), (signal) => releases.list(props.name, signal));
  const beta = left.data?.find((release) => release.grayName === BETA);
  const named = left.data?.filter((release) => release.grayName !== BETA) ?? [];
  const action = useAction();
  const stop = async () => {
    await action.run(() => configs.stopBeta(props.name), t('Beta stopped'));
    left.reload();
  };
  return (
    <div className="panel" role="alert">
      <p>{t('There is no such configuration in this namespace.')}</p>
      {beta && (
        <Alert
          type="warning"
          showIcon
          style={{ marginBottom: 14 }}
          title={<span className="wrap">{t('Its beta is still served to {addresses}.', { addresses: addressesText(beta) })}</span>}
          action={props.mayWrite && <Button danger onClick={() => void stop()}>{t('Stop the beta')}</Button>}
        />
      )}
      <p>
        {props.mayWrite && (
          <>
            <Link to={view('configs/new', { ns: namespaceId, group: groupName, dataId })}>{t('Create it')}</Link>
            {' · '}
          </>
        )}
        {t('The tab History has its former versions, if there are any, and can restore them.')}
      </p>
      {named.length > 0 && <p>{t('These releases are still served:')}</p>}
      <ReleaseList name={props.name} stored={undefined} releases={named} mayWrite={props.mayWrite} changed={left.reload} />
    </div>
  );
}
