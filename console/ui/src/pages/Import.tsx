import { FolderOpenOutlined, InboxOutlined } from '@ant-design/icons';
import { Alert, Button, Input, Space } from 'antd';
import { useEffect, useRef, useState, type DragEvent } from 'react';
import { configs, type ImportPreview, type ImportResult } from '../api/configs';
import { core } from '../api/core';
import { Clip, Link, PageHead, useAction } from '../components/common';
import { number, t } from '../i18n';
import { useNamespaces } from '../namespaces';
import { useRemote, useSettled } from '../remote';
import { view } from '../router';
import { PolicyChoice } from './ConfigList';
import { LeftOutFiles, Preview } from './import/Preview';
import { archive, chosen, dropped, look, MOST_FILES, type Folder, type Found, type LeftOut } from './import/folder';

const DEFAULT_MAX_CONTENT = 10 * 1024 * 1024;

/** What was chosen: an archive as it is, or a folder of which one is made. */
type Source = { zip: File } | { folder: Folder };

/** What is sent, and for a folder the group that it was made with. */
type Prepared = { file?: File; leftOut: LeftOut[]; stored?: number; topGroup?: string };

/** Brings in an exported archive or a folder, after a dry run that shows what would become of each configuration. */
export default function Import() {
  const { current, nameOf } = useNamespaces();
  const [source, setSource] = useState<Source>();
  const [topGroup, setTopGroup] = useState('DEFAULT_GROUP');
  const [policy, setPolicy] = useState('SKIP');
  const [prepared, setPrepared] = useState<Prepared>();
  const [preview, setPreview] = useState<ImportPreview>();
  const [result, setResult] = useState<ImportResult>();
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<string>();
  const action = useAction();
  const group = useSettled(topGroup.trim(), 250);
  const state = useRemote('state', (signal) => core.state(signal));
  const maxBytes = Number(state.data?.['maxContent'] ?? DEFAULT_MAX_CONTENT);
  const folder = source && 'folder' in source ? source.folder : undefined;
  // Until the archive and its dry run have caught up with what is typed, nothing is imported.
  const isBehind = folder !== undefined && prepared !== undefined && prepared.topGroup !== topGroup.trim();

  // A folder becomes an archive anew when the group of its own files is another one.
  useEffect(() => {
    if (!source) return;
    let stopped = false;
    if ('zip' in source) setPrepared({ file: source.zip, leftOut: [] });
    else {
      void archive(source.folder, group || 'DEFAULT_GROUP').then(({ file, stored, binary }) => {
        if (!stopped) setPrepared({ file, stored, leftOut: [...source.folder.leftOut, ...binary], topGroup: group });
      });
    }
    return () => {
      stopped = true;
    };
  }, [source, group]);

  useEffect(() => {
    setPreview(undefined);
    setResult(undefined);
    const file = prepared?.file;
    if (!file) return;
    let stopped = false;
    setBusy(true);
    setRefused(undefined);
    configs
      .previewImport(current, policy, file)
      .then(
        (answer) => !stopped && setPreview(answer),
        (failure: unknown) => !stopped && setRefused(failure instanceof Error ? failure.message : String(failure)),
      )
      .finally(() => !stopped && setBusy(false));
    return () => {
      stopped = true;
    };
  }, [prepared, policy, current]);

  const take = (next: Source | undefined, problem?: string) => {
    setPrepared(undefined);
    setRefused(problem);
    setSource(next);
  };
  const takeFolder = ({ name, all }: { name: string; all: Found[] }) => {
    if (all.length > MOST_FILES) {
      take(undefined, t('{name} holds more than {n} files. Choose a folder whose sub-folders are groups.', { name, n: number(MOST_FILES) }));
    } else take({ folder: look(name, all, maxBytes) });
  };
  const run = async () => {
    const file = prepared?.file;
    if (!file) return;
    setBusy(true);
    const answer = await action.run(() => configs.import(current, policy, file));
    setBusy(false);
    if (answer) {
      setResult(answer);
      setPreview(undefined);
    }
  };
  return (
    <>
      <PageHead title={t('Import')} sub={t('Into namespace {name}', { name: nameOf(current) })} />
      <div className="panel">
        <Space orientation="vertical" size="middle" style={{ width: '100%' }}>
          <DropZone
            zip={(zip) => take({ zip })}
            folder={takeFolder}
            failed={(failure) => take(undefined, String(failure))}
          />
          {refused && <Alert type="error" showIcon title={t('This cannot be imported')} description={refused} />}
          {source && 'zip' in source && <div role="status"><Clip text={source.zip.name} /> <span className="muted">{t('{n} bytes', { n: number(source.zip.size) })}</span></div>}
          {folder && prepared && (
            <div role="status">
              <strong><Clip text={folder.name} /></strong>{' '}
              {t('{n} files become configurations, {left} are skipped', { n: number(prepared.stored ?? 0), left: number(prepared.leftOut.length) })}
            </div>
          )}
          {folder?.hasTop && (
            <label className="narrow">
              {t('Group of the files outside of sub-folders')}
              <Input value={topGroup} onChange={(event) => setTopGroup(event.target.value)} status={topGroup.trim() === '' ? 'error' : undefined} />
            </label>
          )}
          {prepared && prepared.leftOut.length > 0 && <LeftOutFiles files={prepared.leftOut.map(({ path, why }) => ({ path, why: t(why) }))} />}
          {source && <div className="narrow"><PolicyChoice value={policy} onChange={setPolicy} /></div>}
          {preview && <Preview preview={preview} />}
          {source && (
            <Button type="primary" disabled={!prepared?.file || result !== undefined || refused !== undefined} loading={busy || isBehind} onClick={() => void run()}>{t('Import')}</Button>
          )}
          {result && (
            <Alert
              type={result.succCount > 0 ? 'success' : 'warning'}
              showIcon
              title={t('{n} imported, {skipped} skipped', { n: number(result.succCount), skipped: number(result.skipCount + (result.failData?.length ?? 0)) })}
              description={<Link to={view('configs', { ns: current })}>{t('Configurations')}</Link>}
            />
          )}
        </Space>
      </div>
    </>
  );
}

/** Takes a zip or a folder, dropped or chosen. */
function DropZone(props: { zip: (file: File) => void; folder: (found: { name: string; all: Found[] }) => void; failed: (failure: unknown) => void }) {
  const [over, setOver] = useState(false);
  const zip = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    // To be asked for at once: after this event the browser forgets what was dropped.
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
    const only = event.dataTransfer.files[0];
    if (entries.length === 1 && entries[0]!.isFile && only && /\.zip$/i.test(only.name)) props.zip(only);
    else if (entries.length > 0) void dropped(entries).then(props.folder, props.failed);
  };
  return (
    <div
      className={over ? 'drop-zone over' : 'drop-zone'}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <InboxOutlined aria-hidden />
      <p>{t('Drop a folder here, or a zip that was exported from Cairn or Nacos')}</p>
      <Space wrap>
        <Button icon={<FolderOpenOutlined aria-hidden />} onClick={() => folder.current?.click()}>{t('Choose a folder')}</Button>
        <Button onClick={() => zip.current?.click()}>{t('Choose a zip')}</Button>
      </Space>
      <p className="muted">{t('In a folder each sub-folder is a group and each file a configuration; the file extension gives its type.')}</p>
      <input
        ref={zip}
        hidden
        type="file"
        accept=".zip"
        aria-label={t('Choose a zip')}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file) props.zip(file);
          event.target.value = '';
        }}
      />
      <input
        ref={(input) => {
          folder.current = input;
          // React knows no such property.
          input?.setAttribute('webkitdirectory', '');
        }}
        hidden
        type="file"
        multiple
        aria-label={t('Choose a folder')}
        onChange={(event) => {
          if (event.target.files?.length) props.folder(chosen(event.target.files));
          event.target.value = '';
        }}
      />
    </div>
  );
}
