import { KeyOutlined, LoadingOutlined, LogoutOutlined, MenuOutlined, MoonOutlined, SearchOutlined, SunOutlined, TranslationOutlined, UserOutlined } from '@ant-design/icons';
import { App as Antd, Button, ConfigProvider, Drawer, Dropdown, Grid, Layout, Menu, Select, Skeleton } from 'antd';
import enUS from 'antd/locale/en_US';
import type { ConfigProviderProps } from 'antd';
import { Suspense, useEffect, useState, useSyncExternalStore } from 'react';
import { reachability, serverRoot } from './api/http';
import { issuer } from './api/issuer';
import { session } from './api/session';
import { Palette } from './components/Palette';
import { ChangePassword, SignIn, useSession } from './components/SignIn';
import { ErrorBoundary } from './components/ErrorBoundary';
import { Dot, Link, Problem } from './components/common';
import { setLanguage, t, useLanguage } from './i18n';
import { idOf, Namespaces, useNamespaces } from './namespaces';
import { nonce } from './nonce';
import { pageOf, pages } from './pages';
import { NotAllowed, RightsOfUser, useRights } from './rights';
import { href, navigate, usePath, useQuery, view } from './router';
import { setAppearance, themeOf, useAppearance } from './theme';

/** A button that is busy keeps its name: what turns on it is for the eye alone. */
const busyButton: ConfigProviderProps['button'] = { loadingIcon: <LoadingOutlined aria-hidden />, autoInsertSpace: false };

export function App() {
  const language = useLanguage();
  const appearance = useAppearance();
  const { user } = useSession();
  const [chinese, setChinese] = useState<ConfigProviderProps['locale']>();
  useEffect(() => {
    if (language === 'zh') void import('antd/locale/zh_CN').then((loaded) => setChinese(loaded.default));
  }, [language]);
  return (
    <ConfigProvider theme={themeOf(appearance)} locale={(language === 'zh' && chinese) || enUS} csp={{ nonce }} button={busyButton}>
      <Antd>
        {/* What one user saw is not shown to the next. */}
        <Namespaces key={user?.username}>
          <RightsOfUser>
            <Shell />
          </RightsOfUser>
        </Namespaces>
        <SignIn />
      </Antd>
    </ConfigProvider>
  );
}

function Navigation(props: { lit: string; done?: () => void }) {
  const { current } = useNamespaces();
  const rights = useRights();
  return (
    <nav aria-label={t('Pages')}>
      <Menu
        mode="inline"
        selectedKeys={[props.lit]}
        items={pages
          .filter((page) => page.icon && rights.allow(page.needs))
          .map((page) => {
            const target = view(page.path, page.scoped ? { ns: current } : {});
            return {
              key: page.path,
              icon: page.icon,
              label: (
                <a
                  href={href(target)}
                  onClick={(event) => {
                    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                    event.preventDefault();
                    navigate(target);
                    props.done?.();
                  }}
                >
                  {t(page.title)}
                </a>
              ),
            };
          })}
      />
    </nav>
  );
}

function Shell() {
  const path = usePath();
  const [query] = useQuery();
  const { current, nameOf } = useNamespaces();
  const page = pageOf(path);
  const wide = Grid.useBreakpoint().lg !== false;
  const [drawer, setDrawer] = useState(false);
  const [palette, setPalette] = useState(false);
  const reachable = useSyncExternalStore(reachability.subscribe, reachability.get);
  const rights = useRights();
  const Page = page?.component;

  useEffect(() => {
    if (path === '') navigate('overview', { replace: true });
  }, [path]);
  // Beginning with what tells windows apart; the namespace is that of what is shown.
  const title = [page?.subject?.(query), page && t(page.title), page?.scoped && nameOf(current), 'Cairn'].filter(Boolean).join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setPalette(true);
      }
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);

  const brand = (
    <Link to="overview" className="brand">
      <img src={new URL('cairn.svg', serverRoot).href} alt="" />
      Cairn
    </Link>
  );
  const lit = page?.parent ?? path;
  return (
    <Layout className="shell">
      <a className="skip" href="#content" onClick={(event) => { event.preventDefault(); document.getElementById('content')?.focus(); }}>
        {t('Skip to the content')}
      </a>
      {wide && (
        <Layout.Sider width={208} className="shell-side">
          {brand}
          <Navigation lit={lit} />
        </Layout.Sider>
      )}
      {!wide && (
        <Drawer open={drawer} onClose={() => setDrawer(false)} placement="left" size={240} title="Cairn" styles={{ body: { padding: 0 } }}>
          <Navigation lit={lit} done={() => setDrawer(false)} />
        </Drawer>
      )}
      <Layout>
        <Layout.Header className="shell-head">
          {!wide && <Button type="text" icon={<MenuOutlined aria-hidden />} aria-label={t('Pages')} onClick={() => setDrawer(true)} />}
          <NamespaceSwitcher />
          <div className="grow" />
          <span className="live-mark" title={t('The page updates automatically')}><Dot kind="good" />{t('Live')}</span>
          {wide ? (
            <Button icon={<SearchOutlined aria-hidden />} onClick={() => setPalette(true)} aria-keyshortcuts="Control+K">
              <span className="muted" style={{ paddingInlineEnd: 24 }}>{t('Search everything')}</span>
              <kbd aria-hidden>Ctrl K</kbd>
            </Button>
          ) : (
            <Button icon={<SearchOutlined aria-hidden />} onClick={() => setPalette(true)} aria-label={t('Search everything')} aria-keyshortcuts="Control+K" />
          )}
          <Tools />
        </Layout.Header>
        {!reachable && (
          <div className="unreachable" role="alert">
            {t('The server cannot be reached')}. {t('This page continues automatically when the server is available again.')}
          </div>
        )}
        {/* The layout's content is the main landmark: another one in it would be a second. */}
        <Layout.Content id="content" className="page" tabIndex={-1} style={{ outline: 'none' }}>
          <ErrorBoundary key={path}>
            <Suspense fallback={<Skeleton active />}>
              {page?.needs && !rights.allow(page.needs) ? (
                rights.known ? <NotAllowed title={page.title} need={page.needs} /> : rights.error ? <Problem error={rights.error} /> : <Skeleton active />
              ) : Page ? <Page /> : path !== '' && <NoSuchPage />}
            </Suspense>
          </ErrorBoundary>
        </Layout.Content>
      </Layout>
      <Palette open={palette} close={() => setPalette(false)} />
    </Layout>
  );
}

function NoSuchPage() {
  return (
    <div className="panel" role="alert">
      <h1 className="panel-title">{t('There is no such page.')}</h1>
      <Link to="overview">{t('To the overview')}</Link>
    </div>
  );
}

function NamespaceSwitcher() {
  const { current, all } = useNamespaces();
  const path = usePath();
  const page = pageOf(path);
  const options = (all.data ?? []).map((n) => ({
    value: idOf(n),
    label: n.namespaceShowName,
    search: `${n.namespaceShowName} ${idOf(n)}`.toLowerCase(),
  }));
  if (!options.some((o) => o.value === current)) options.push({ value: current, label: current, search: current });
  return (
    <Select
      aria-label={t('Namespace')}
      prefix={<span className="muted">{t('Namespace')}</span>}
      style={{ width: 260, minWidth: 140, flexShrink: 1 }}
      popupMatchSelectWidth={320}
      value={current}
      options={options}
      showSearch={{ filterOption: (typed, option) => option?.search.includes(typed.toLowerCase()) ?? false }}
      optionRender={(option) => (
        <div className="row" style={{ justifyContent: 'space-between', flexWrap: 'nowrap' }}>
          <span className="clip">{option.data.label}</span>
          {option.data.label !== option.data.value && <span className="muted mono clip">{option.data.value}</span>}
        </div>
      )}
      onOpenChange={(open) => open && all.reload()}
      onChange={(id) => navigate(view(page?.onNamespace ?? (page?.scoped ? path : 'configs'), { ns: id }))}
    />
  );
}

/** A person whom the issuer has signed in is signed out there, too: the next login must ask again. */
function signOut(issued: boolean | undefined) {
  session.signOut();
  if (issued && issuer) location.assign(issuer.logout);
}

function Tools() {
  const language = useLanguage();
  const appearance = useAppearance();
  const { user, token } = useSession();
  const [changing, setChanging] = useState(false);
  return (
    <>
      <Dropdown
        trigger={['click']}
        menu={{
          selectedKeys: [language],
          items: [
            { key: 'en', label: 'English' },
            { key: 'zh', label: '简体中文' },
          ],
          onClick: ({ key }) => void setLanguage(key === 'zh' ? 'zh' : 'en'),
        }}
      >
        <Button type="text" icon={<TranslationOutlined aria-hidden />} aria-label={t('Language')} />
      </Dropdown>
      <Button
        type="text"
        icon={appearance === 'dark' ? <SunOutlined aria-hidden /> : <MoonOutlined aria-hidden />}
        aria-label={appearance === 'dark' ? t('Light theme') : t('Dark theme')}
        onClick={() => setAppearance(appearance === 'dark' ? 'light' : 'dark')}
      />
      {token && (
        <Dropdown
          trigger={['click']}
          menu={{
            items: [
              ...(user?.issued ? [] : [{ key: 'password', icon: <KeyOutlined aria-hidden />, label: t('Change your password') }]),
              { key: 'out', icon: <LogoutOutlined aria-hidden />, label: t('Sign out') },
            ],
            onClick: ({ key }) => (key === 'out' ? signOut(user?.issued) : setChanging(true)),
          }}
        >
          <Button type="text" icon={<UserOutlined aria-hidden />} aria-label={t('Account of {name}', { name: user?.username ?? '' })}>
            <span className="clip account-name">{user?.username}</span>
          </Button>
        </Dropdown>
      )}
      <ChangePassword open={changing || user?.mustChangePassword === true} forced={user?.mustChangePassword === true} close={() => setChanging(false)} />
    </>
  );
}
