'use strict';

// Everything shown comes from the public HTTP API, and is put in as text, never as markup.

const SHOWN = [
  ['version', 'Version'],
  ['startup_mode', 'Mode'],
  ['server_port', 'HTTP port'],
  ['maxContent', 'Largest content (bytes)'],
];

async function ask(path) {
  const response = await fetch(path, { cache: 'no-store' });
  const text = await response.text();
  if (!response.ok) {
    throw new Error(text || response.statusText);
  }
  return text;
}

function element(name, text) {
  const created = document.createElement(name);
  created.textContent = text;
  return created;
}

async function showHealth() {
  const health = document.getElementById('health');
  try {
    await ask('v1/console/health/readiness');
    health.textContent = 'Ready: reads and writes are served.';
    health.className = 'good';
  } catch (error) {
    health.textContent = `Not ready: ${error.message}`;
    health.className = 'bad';
  }
}

async function showNamespaces() {
  const rows = JSON.parse(await ask('v1/console/namespaces')).data.map((namespace) => {
    const row = document.createElement('tr');
    row.append(
      element('td', namespace.namespaceShowName),
      element('td', namespace.namespace || '(default)'),
      element('td', namespace.configCount),
    );
    return row;
  });
  document.getElementById('namespaces').replaceChildren(...rows);
}

async function showServer() {
  const state = JSON.parse(await ask('v1/console/server/state'));
  const lines = SHOWN.flatMap(([key, label]) => [element('dt', label), element('dd', state[key])]);
  document.getElementById('server').replaceChildren(...lines);
}

async function refresh() {
  await Promise.allSettled([showHealth(), showNamespaces(), showServer()]);
}

refresh();
setInterval(refresh, 5000);
