import { SearchOutlined } from '@ant-design/icons';
import { Input, Modal, type InputRef } from 'antd';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { configs } from '../api/configs';
import { services } from '../api/services';
import { t } from '../i18n';
import { idOf, useNamespaces } from '../namespaces';
import { pages } from '../pages';
import { useRemote, useSettled } from '../remote';
import { useRights } from '../rights';
import { navigate, view } from '../router';

type Found = { key: string; kind: string; label: string; where: string; to: string };

const MOST = 8;

/** Finds pages, namespaces, configurations and services by a part of their name. */
export function Palette(props: { open: boolean; close: () => void }) {
  return (
    <Modal open={props.open} onCancel={props.close} footer={null} closable={false} width={640} destroyOnHidden style={{ top: 80 }} styles={{ header: { margin: 0 } }} title={<span className="out-of-sight">{t('Search everything')}</span>}>
      <Search close={props.close} />
    </Modal>
  );
}

function Search(props: { close: () => void }) {
  const { current, all, nameOf } = useNamespaces();
  const rights = useRights();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const input = useRef<InputRef>(null);
  const typed = useSettled(text.trim(), 120);

  useEffect(() => {
    const timer = window.setTimeout(() => input.current?.focus(), 30);
    return () => window.clearTimeout(timer);
  }, []);

  const remote = useRemote(`${current} ${typed}`, async (signal): Promise<Found[]> => {
    if (!typed) return [];
    const [foundConfigs, foundServices] = await Promise.allSettled([
      rights.allow('readConfigs') ? configs.list({ namespaceId: current, dataId: typed, page: 1, size: MOST }, signal) : undefined,
      rights.allow('readServices') ? services.list({ namespaceId: current, service: typed, page: 1, size: MOST }, signal) : undefined,
    ]);
    const out: Found[] = [];
    if (foundConfigs.status === 'fulfilled' && foundConfigs.value) {
      for (const c of foundConfigs.value.pageItems) {
        out.push({
          key: `c ${c.groupName} ${c.dataId}`,
          kind: t('Configuration'),
          label: c.dataId,
          where: c.groupName,
          to: view('configs/one', { ns: current, group: c.groupName, dataId: c.dataId }),
        });
      }
    }
    if (foundServices.status === 'fulfilled' && foundServices.value) {
      for (const s of foundServices.value.pageItems) {
        out.push({
          key: `s ${s.groupName} ${s.name}`,
          kind: t('Service'),
          label: s.name,
          where: s.groupName,
          to: view('services/one', { ns: current, group: s.groupName, service: s.name }),
        });
      }
    }
    return out;
  });

  const wanted = text.trim().toLowerCase();
  const local: Found[] = [
    ...pages
      .filter((page) => page.icon && rights.allow(page.needs) && t(page.title).toLowerCase().includes(wanted))
      .map((page) => ({ key: `p ${page.path}`, kind: t('Page'), label: t(page.title), where: '', to: view(page.path, page.scoped ? { ns: current } : {}) })),
    ...(all.data ?? [])
      .filter((n) => wanted !== '' && `${n.namespaceShowName} ${idOf(n)}`.toLowerCase().includes(wanted))
      .slice(0, MOST)
      .map((n) => ({ key: `n ${idOf(n)}`, kind: t('Namespace'), label: n.namespaceShowName, where: idOf(n), to: view('configs', { ns: idOf(n) }) })),
  ];
  const found = [...(typed ? (remote.data ?? []) : []), ...local];
  const at = Math.min(chosen, found.length - 1);

  const open = (item: Found | undefined) => {
    if (!item) return;
    props.close();
    navigate(item.to);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setChosen(Math.min(at + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setChosen(Math.max(at - 1, 0));
    else if (event.key === 'Enter') open(found[at]);
    else return;
    event.preventDefault();
  };
  return (
    <div onKeyDown={onKey}>
      <Input
        ref={input}
        size="large"
        prefix={<SearchOutlined aria-hidden />}
        placeholder={t('Configurations, services, namespaces, pages')}
        aria-label={t('Search everything')}
        role="combobox"
        aria-describedby="palette-scope"
        aria-expanded={found.length > 0}
        aria-controls="palette-list"
        aria-activedescendant={found[at] ? `palette-${at}` : undefined}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
      />
      <div className="palette-list" id="palette-list" role="listbox" aria-label={t('Found')}>
        {found.map((item, index) => (
          <div
            key={item.key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            className="palette-item"
            onMouseMove={() => setChosen(index)}
            onClick={() => open(item)}
          >
            <span className="muted" style={{ width: 96, flex: 'none' }}>{item.kind}</span>
            <bdi className="clip">{item.label}</bdi>
            <span className="where">{item.where}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && !remote.loading && <p className="muted" role="status">{t('Nothing found in {namespace}', { namespace: nameOf(current) })}</p>}
      <p className="muted palette-scope" id="palette-scope">{t('Configurations and services of the namespace {namespace}; pages and namespaces of the whole server', { namespace: nameOf(current) })}</p>
    </div>
  );
}
