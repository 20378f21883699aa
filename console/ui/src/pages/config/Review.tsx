import { Alert } from 'antd';
import { useState, type ReactNode } from 'react';
import { authorOf, type Config, type GrayRelease } from '../../api/configs';
import { Dialog } from '../../components/Dialog';
import { Compare } from '../../editor/Compare';
import { moment, t } from '../../i18n';
import { GrayStays } from './Gray';

/** The author and the time of the version, for a sentence. */
export function storedBy(config: Config): { who: string; when: string } {
  return { who: authorOf(config) || t('Someone'), when: moment(config.modifyTime) };
}

/** The differences that a publish to all makes to the stored content; the user sees them before anything is published. */
export function Review(props: {
  title: string;
  /** The stored content; undefined when there is none. */
  stored: Config | undefined;
  /** Of the content that is replaced, where that is not the one for all. */
  storedTitle?: string;
  content: string;
  contentTitle: string;
  type: string;
  /** The releases that the publish leaves in force. */
  releases?: GrayRelease[];
  /** The text shown where the contents are the same. */
  same: string;
  okText: string;
  cancelText?: string;
  danger?: boolean;
  busy?: boolean;
  publish: () => void;
  close: () => void;
  children?: ReactNode;
}) {
  const { stored, content } = props;
  const before = stored?.content ?? '';
  const version = stored?.md5 ?? 'none';
  const [seen, setSeen] = useState<string>();
  return (
    <Dialog
      title={props.title}
      width="min(1400px, 96vw)"
      style={{ top: 32 }}
      okText={props.okText}
      okButtonProps={{ loading: props.busy, danger: props.danger, disabled: seen !== version && content !== before }}
      cancelText={props.cancelText ?? t('Cancel')}
      onOk={props.publish}
      onCancel={props.close}
    >
      <Compare
        left={before}
        right={content}
        leftTitle={props.storedTitle ?? (stored ? t('Stored now') : t('Nothing'))}
        rightTitle={props.contentTitle}
        type={props.type}
        onShown={() => setSeen(version)}
        same={<Alert type="info" showIcon title={props.same} />}
      >
        <GrayStays releases={props.releases} />
        {props.children}
      </Compare>
    </Dialog>
  );
}
