import {
  ApiOutlined,
  AppstoreOutlined,
  AuditOutlined,
  CloudServerOutlined,
  ClusterOutlined,
  DashboardOutlined,
  DeploymentUnitOutlined,
  FileTextOutlined,
  ImportOutlined,
  KeyOutlined,
  SettingOutlined,
  TeamOutlined,
} from '@ant-design/icons';
import { lazy, type ComponentType, type ReactNode } from 'react';
import type { Text } from './i18n';
import type { Need } from './rights';

export type PageEntry = {
  path: string;
  title: Text;
  /** In the navigation; others are reached from within. */
  icon?: ReactNode;
  /** Which entry of the navigation is lit. */
  parent?: string;
  /** Whether what it shows depends on the namespace chosen above. */
  scoped?: boolean;
  /** Where a change of the namespace leads to, when the page is about one thing of a namespace. */
  onNamespace?: string;
  /** The thing that the page shows, by the address's query: the title of the window begins with it. */
  subject?: (query: URLSearchParams) => string | null;
  /** The right without which there is nothing on it. */
  needs?: Need;
  component: ComponentType;
};

export const pages: PageEntry[] = [
  { path: 'overview', title: 'Overview', icon: <DashboardOutlined aria-hidden />, component: lazy(() => import('./pages/Overview')) },
  { path: 'configs', title: 'Configurations', icon: <FileTextOutlined aria-hidden />, scoped: true, needs: 'readConfigs', component: lazy(() => import('./pages/ConfigList')) },
  { path: 'configs/one', title: 'Configuration', parent: 'configs', scoped: true, onNamespace: 'configs', subject: (query) => query.get('dataId'), needs: 'readConfigs', component: lazy(() => import('./pages/ConfigPage')) },
  { path: 'configs/new', title: 'New configuration', parent: 'configs', scoped: true, subject: (query) => query.get('dataId'), needs: 'writeConfigs', component: lazy(() => import('./pages/ConfigNew')) },
  { path: 'import', title: 'Import', icon: <ImportOutlined aria-hidden />, scoped: true, needs: 'writeConfigs', component: lazy(() => import('./pages/Import')) },
  { path: 'services', title: 'Services', icon: <ApiOutlined aria-hidden />, scoped: true, needs: 'readServices', component: lazy(() => import('./pages/ServiceList')) },
  { path: 'services/one', title: 'Service', parent: 'services', scoped: true, onNamespace: 'services', subject: (query) => query.get('service'), needs: 'readServices', component: lazy(() => import('./pages/ServicePage')) },
  { path: 'proxies', title: 'Proxies', icon: <DeploymentUnitOutlined aria-hidden />, scoped: true, needs: 'readServices', component: lazy(() => import('./pages/Proxies')) },
  { path: 'namespaces', title: 'Namespaces', icon: <AppstoreOutlined aria-hidden />, component: lazy(() => import('./pages/NamespaceList')) },
  { path: 'users', title: 'Users and rights', icon: <TeamOutlined aria-hidden />, needs: 'admin', component: lazy(() => import('./pages/Users')) },
  { path: 'tokens', title: 'API tokens', icon: <KeyOutlined aria-hidden />, needs: 'admin', component: lazy(() => import('./pages/Tokens')) },
  { path: 'audit', title: 'Audit log', icon: <AuditOutlined aria-hidden />, needs: 'admin', component: lazy(() => import('./pages/Audit')) },
  { path: 'connections', title: 'Connections', icon: <ClusterOutlined aria-hidden />, needs: 'admin', component: lazy(() => import('./pages/Connections')) },
  { path: 'clients/one', title: 'Client', parent: 'connections', subject: (query) => query.get('ip'), component: lazy(() => import('./pages/ClientPage')) },
  { path: 'nodes', title: 'Nodes', icon: <CloudServerOutlined aria-hidden />, needs: 'admin', component: lazy(() => import('./pages/Nodes')) },
  { path: 'settings', title: 'Settings', icon: <SettingOutlined aria-hidden />, needs: 'admin', component: lazy(() => import('./pages/Settings')) },
];

export function pageOf(path: string): PageEntry | undefined {
  return pages.find((page) => page.path === path);
}
