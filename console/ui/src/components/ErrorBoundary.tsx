import { Alert, Button } from 'antd';
import { Component, type ReactNode } from 'react';
import { t } from '../i18n';

/** Keeps the rest of the console alive when a page fails on a defect. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { failure?: Error }> {
  override state: { failure?: Error } = {};

  static getDerivedStateFromError(failure: Error) {
    return { failure };
  }

  override render() {
    if (!this.state.failure) return this.props.children;
    return (
      <Alert
        type="error"
        showIcon
        title={t('This page has failed')}
        description={this.state.failure.message}
        action={<Button onClick={() => location.reload()}>{t('Load again')}</Button>}
      />
    );
  }
}
