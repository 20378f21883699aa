import { view } from '../../router';

/** The length at which the server cuts targets: one that long may be of something else than it names. */
const CUT = 512;

/** {@code namespace:group:type/name}: names hold no slash, but groups may hold colons. */
const RESOURCE = /^([^:]*):([^/]+):(config|naming)\/([^/]+)$/;

/** The view of what an audit record is about; undefined where the console shows no such thing. */
export function viewOf(action: string, target: string): string | undefined {
  if (target === '' || target.length >= CUT) return undefined;
  const kind = action.split('.')[0];
  if (kind === 'rule') return view('tokens', { tab: 'rules' });
  if (kind === 'permission') return view('users', { tab: 'roles' });
  const resource = RESOURCE.exec(target);
  if (resource) {
    const [, ns, group, type, name] = resource;
    if (type === 'naming') return view('services/one', { ns, group, service: name });
    return view('configs/one', { ns, group, dataId: name, tab: action.endsWith('.delete') ? 'history' : undefined });
  }
  switch (kind) {
    case 'user':
    case 'login':
      return view('users', { q: target });
    case 'role':
      return target === '*' ? view('users', { tab: 'roles' }) : view('users', { q: target });
    case 'token':
      return 'tokens';
    case 'namespace':
      return action === 'namespace.delete' ? 'namespaces' : view('configs', { ns: target });
    case 'capacity':
      return target.startsWith('namespace:') ? 'namespaces' : undefined;
    case 'connection':
      return 'connections';
    default:
      return undefined;
  }
}
