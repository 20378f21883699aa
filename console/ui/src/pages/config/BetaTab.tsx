import { Alert, Button, Empty, Select, Table, Tag } from 'antd';
import { useState } from 'react';
import { ApiError } from '../../api/http';
import { configs, keyOf, type Beta, type Config, type ConfigName, type Watcher } from '../../api/configs';
import { ClientAddress, placeOf } from '../../components/ClientAddress';
import { Clip, Loaded, useSingleAction } from '../../components/common';
import { CodeEditor, DiffView } from '../../editor/lazy';
import { number, t } from '../../i18n';
import { useRemote } from '../../remote';
import { addressesOf } from './Gray';
import { Review } from './Review';

/** A version for some clients only, before all get it. */
export function BetaTab(props: { name: ConfigName; stored: Config; changed: () => void }) {
  const { name, stored } = props;
  const remote = useRemote(JSON.stringify(name), async (signal) => {
    const [beta, watchers] = await Promise.all([
      configs.beta(name, signal).catch((failure: unknown) => {
        if (failure instanceof ApiError && failure.absent) return null;
        throw failure;
      }),
      configs.watchers(name, signal),
    ]);
    return { beta, watchers: watchers.data };
  }, { every: 5000, live: { ...name, when: (event) => event.dataId === name.dataId && event.groupName === name.groupName } });
  return (
    <Loaded remote={remote}>
      {({ beta, watchers }) => (
        <BetaForm key={beta?.md5 ?? 'none'} name={name} stored={stored} beta={beta} watchers={watchers} changed={() => { remote.reload(); props.changed(); }} />
      )}
    </Loaded>
  );
}

/** The two versions that are compared when the beta goes to everyone. */
type Promotion = { now: Config; beta: Beta };

function BetaForm(props: { name: ConfigName; stored: Config; beta: Beta | null; watchers: Watcher[]; changed: () => void }) {
  const { name, stored, beta, watchers } = props;
  const [addresses, setAddresses] = useState<string[]>(beta ? addressesOf(beta) : []);
  const [content, setContent] = useState(beta?.content ?? stored.content);
  const action = useSingleAction();
  const [promoting, setPromoting] = useState<Promotion>();
  const [busy, setBusy] = useState(false);
  const clients = new Map<string, number>();
  for (const watcher of watchers) clients.set(watcher.clientIp, (clients.get(watcher.clientIp) ?? 0) + 1);
  const matching = watchers.filter((watcher) => addresses.includes(watcher.clientIp));
  const arrived = matching.filter((watcher) => watcher.md5 === beta?.md5).length;
  const absent = addresses.filter((address) => !clients.has(address));

  const publish = async () => {
    const done = await action.run(
      () => configs.publish(name, { content, type: stored.type ?? 'text', appName: stored.appName ?? undefined, encryptedDataKey: keyOf(content, beta, stored) }, { betaIps: addresses.join(',') }),
      t('Beta published'),
    );
    if (done) props.changed();
  };
  const stop = async () => {
    const done = await action.run(() => configs.stopBeta(name), t('Beta stopped'));
    if (done) props.changed();
  };
  // The comparison and the publish take the content that is stored and served now.
  const compare = () =>
    action.run(async () => {
      const [now, present] = await Promise.all([configs.get(name), configs.beta(name)]);
      setPromoting({ now, beta: present });
    });
  const promote = ({ now, beta: reviewed }: Promotion) =>
    action.run(async () => {
      setBusy(true);
      try {
        await configs.publish(
          name,
          {
            content: reviewed.content,
            type: now.type ?? 'text',
            desc: now.desc ?? undefined,
            configTags: now.configTags ?? undefined,
            appName: now.appName ?? undefined,
            encryptedDataKey: reviewed.encryptedDataKey ?? '',
          },
          { expectedMd5: now.md5 },
        );
        await configs.stopBeta(name);
      } finally {
        setBusy(false);
        setPromoting(undefined);
        props.changed();
      }
    }, t('Published'));

  return (
    <div className="panel">
      {beta && (
        <Alert
          type="info"
          showIcon
          style={{ marginBottom: 14 }}
          title={t('Beta version: {n} of {all} matching clients have it', { n: arrived, all: matching.length })}
          action={
            <div className="row">
              <Button type="primary" onClick={() => void compare()}>{t('Publish to everyone')}</Button>
              <Button danger onClick={() => void stop()}>{t('Stop the beta')}</Button>
            </div>
          }
        />
      )}
      <div className="columns">
        <div>
          <label>
            {t('Addresses of the beta clients')}
            <Select
              mode="tags"
              style={{ width: '100%' }}
              aria-label={t('Addresses of the beta clients')}
              placeholder="10.0.0.7, 10.0.0.8"
              tokenSeparators={[',', ' ', ';', '\n', '，', '；', '、']}
              value={addresses}
              onChange={setAddresses}
              options={[...clients].sort(([a], [b]) => a.localeCompare(b)).map(([ip, n]) => ({ value: ip, label: n === 1 ? ip : t('{address} ({n} clients)', { address: ip, n: number(n) }) }))}
              optionLabelProp="value"
            />
          </label>
          {absent.length > 0 && watchers.length > 0 && <p className="muted wrap">{t('No client at {addresses} listens at the moment.', { addresses: absent.join(', ') })}</p>}
        </div>
        <div style={{ minWidth: 0 }}>
          <div className="panel-title" role="status">
            {t('{n} of {all} connected clients match', { n: matching.length, all: watchers.length })}
          </div>
          <Table
            size="small"
            scroll={{ x: 'max-content' }}
            rowKey={(watcher) => `${watcher.connectionId} ${watcher.clientIp}`}
            dataSource={matching}
            pagination={{ pageSize: 5, hideOnSinglePage: true, showSizeChanger: false }}
            locale={{ emptyText: <Empty image={Empty.PRESENTED_IMAGE_SIMPLE} description={t('No connected client matches')} /> }}
            columns={[
              { title: t('Client'), render: (_, watcher) => <ClientAddress place={placeOf(watcher.clientIp, watcher.connectionId)} /> },
              { title: t('SDK'), render: (_, watcher) => <Clip text={watcher.client} width={180} /> },
              { title: t('Connection'), responsive: ['xxl'], render: (_, watcher) => <Clip text={watcher.connectionId || '–'} width={200} mono /> },
              {
                title: t('Version'),
                render: (_, { md5 }) =>
                  beta && md5 === beta.md5 ? <Tag color="processing">{t('Beta')}</Tag> : md5 === stored.md5 ? <Tag color="success">{t('Stored version')}</Tag> : <Tag color="warning">{t('Another version')}</Tag>,
              },
            ]}
          />
        </div>
      </div>
      <h2 className="panel-title" style={{ marginTop: 16 }}>{t('Content of the beta')}</h2>
      <CodeEditor value={content} type={stored.type ?? 'text'} label={t('Content of the beta')} onChange={setContent} height="32vh" />
      {content !== stored.content && (
        <div style={{ marginTop: 12 }}>
          <DiffView left={stored.content} right={content} leftTitle={t('Stored')} rightTitle={t('Beta')} type={stored.type ?? 'text'} unified />
        </div>
      )}
      <Button type="primary" style={{ marginTop: 12 }} disabled={addresses.length === 0 || content === '' || (beta !== null && content === beta.content && addresses.join() === addressesOf(beta).join())} onClick={() => void publish()}>
        {beta ? t('Change the beta') : t('Start the beta')}
      </Button>
      {promoting && (
        <Review
          title={t('Publish the beta to everyone?')}
          stored={promoting.now}
          content={promoting.beta.content}
          contentTitle={t('Beta')}
          type={promoting.now.type ?? 'text'}
          releases={promoting.now.grayReleases?.filter((release) => release.grayName !== promoting.beta.grayName)}
          same={t('The contents of the two are the same.')}
          okText={t('Publish to everyone')}
          busy={busy}
          publish={() => void promote(promoting)}
          close={() => setPromoting(undefined)}
        >
          <p className="muted" style={{ marginTop: 0 }}>{t('The beta version becomes the stored version and the beta ends.')}</p>
        </Review>
      )}
    </div>
  );
}
