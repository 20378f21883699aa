{{/* The name of all objects. */}}
{{- define "cairn.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* The service without an address of its own, whose name in DNS has the addresses of all pods. */}}
{{- define "cairn.nodes" -}}
{{ include "cairn.fullname" . }}-nodes
{{- end -}}

{{- define "cairn.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Not those of the nodes, whose services must not find the bridge. */}}
{{- define "cairn.bridgeSelector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}-bridge
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "cairn.labels" -}}
{{ include "cairn.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "cairn.isCluster" -}}
{{- if ne .Values.database.type "sqlite" }}true{{ end -}}
{{- end -}}

{{- define "cairn.databasePort" -}}
{{ .Values.database.port | default (ternary 5432 3306 (eq .Values.database.type "postgresql")) }}
{{- end -}}

{{- define "cairn.grpcPort" -}}
{{ add (int .Values.port) 1000 }}
{{- end -}}

{{- define "cairn.groupPort" -}}
{{ add (int .Values.port) 1001 }}
{{- end -}}

{{- define "cairn.drainSeconds" -}}
{{- if kindIs "invalid" .Values.shutdown.drainSeconds }}{{ ternary 2 30 (eq .Values.database.type "sqlite") }}
{{- else }}{{ int .Values.shutdown.drainSeconds }}{{ end -}}
{{- end -}}

{{/* The secret with the first password, and its key. */}}
{{- define "cairn.authSecret" -}}
{{ .Values.auth.existingSecret | default (include "cairn.fullname" .) }}
{{- end -}}
{{- define "cairn.authSecretKey" -}}
{{ ternary .Values.auth.existingSecretKey "first-password" (ne .Values.auth.existingSecret "") }}
{{- end -}}

{{/* The secret with the password of the database, and its key. */}}
{{- define "cairn.databaseSecret" -}}
{{ .Values.database.existingSecret | default (include "cairn.fullname" .) }}
{{- end -}}
{{- define "cairn.databaseSecretKey" -}}
{{ ternary .Values.database.existingSecretKey "database-password" (ne .Values.database.existingSecret "") }}
{{- end -}}

{{- define "cairn.generatesFirstPassword" -}}
{{- if and .Values.auth.enabled (not .Values.auth.existingSecret) }}true{{ end -}}
{{- end -}}
{{- define "cairn.generatesDatabasePassword" -}}
{{- if and (include "cairn.isCluster" .) (not .Values.database.existingSecret) }}true{{ end -}}
{{- end -}}

{{- define "cairn.scheme" -}}
{{ ternary "HTTPS" "HTTP" (and (ne .Values.tls.existingSecret "") (eq .Values.tls.plainText "refused")) }}
{{- end -}}

{{/* Settings that the chart makes, each with the value that decides on it. */}}
{{- define "cairn.ownSettings" -}}
server.port: port
nacos.server.main.port: port
server.servlet.contextPath: contextPath
server.servlet.context-path: contextPath
nacos.server.contextPath: contextPath
server.address: auth.enabled
nacos.core.auth.enabled: auth.enabled
cairn.auth.allow-anonymous-network: auth.enabled
cairn.auth.first-password-file: auth.existingSecret
cairn.auth.allow-anonymous-metrics: metrics.anonymous
spring.sql.init.platform: database.type
spring.datasource.platform: database.type
nacos.standalone: replicaCount
nacos.member.list: replicaCount
nacos.core.member.lookup.type: replicaCount
cairn.cluster.dns: clusterDomain
cairn.cluster.port: port
nacos.inetutils.ip-address: replicaCount
cairn.shutdown.drain: shutdown.drainSeconds
cairn.tls.certificate: tls.existingSecret
cairn.tls.private-key: tls.existingSecret
cairn.tls.plain-text: tls.plainText
{{- end -}}

{{/* Refuses values with which the server would not start, or would lose data. */}}
{{- define "cairn.check" -}}
{{- $replicas := int .Values.replicaCount -}}
{{- if eq .Values.database.type "sqlite" -}}
{{- if ne $replicas 1 -}}
{{- fail (printf "replicaCount: %d (expected: 1 with database.type=sqlite; several replicas need database.type=mysql or postgresql, and database.host)" $replicas) -}}
{{- end -}}
{{- if not .Values.persistence.enabled -}}
{{- fail "persistence.enabled: false (expected: true with database.type=sqlite, because the volume holds the database)" -}}
{{- end -}}
{{- else -}}
{{- if or (lt $replicas 3) (gt $replicas 9) -}}
{{- fail (printf "replicaCount: %d (expected: 3 to 9 with database.type=%s; one replica has database.type=sqlite)" $replicas .Values.database.type) -}}
{{- end -}}
{{- if not .Values.database.host -}}
{{- fail (printf "database.host: not set (expected: the host of the database, because database.type=%s)" .Values.database.type) -}}
{{- end -}}
{{- end -}}
{{- $own := include "cairn.ownSettings" . | fromYaml -}}
{{- range $name, $value := .Values.settings -}}
{{- if hasKey $own $name -}}
{{- fail (printf "settings: %s (expected: the value %s of the chart instead)" $name (get $own $name)) -}}
{{- end -}}
{{- if or (kindIs "map" $value) (kindIs "slice" $value) -}}
{{- fail (printf "settings: %s has parts of its own (expected: whole names of settings, such as \"cairn.config.validation\": refuse)" $name) -}}
{{- end -}}
{{- end -}}
{{- if .Values.service.nodePort -}}
{{- if eq .Values.service.type "ClusterIP" -}}
{{- fail "service.nodePort: set with service.type=ClusterIP (expected: service.type NodePort or LoadBalancer)" -}}
{{- end -}}
{{- if gt (int .Values.service.nodePort) 31767 -}}
{{- fail (printf "service.nodePort: %d (expected: at most 31767, because gRPC has this port + 1000)" (int .Values.service.nodePort)) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.hosts: none (expected: at least one name with ingress.enabled=true)" -}}
{{- end -}}
{{- $metrics := .Values.metrics -}}
{{- if and $metrics.serviceMonitor.enabled .Values.auth.enabled (not $metrics.anonymous) (not $metrics.serviceMonitor.tokenSecret) -}}
{{- fail "metrics.serviceMonitor.tokenSecret: not set (expected: a secret with a token that may read the meters, or metrics.anonymous=true)" -}}
{{- end -}}
{{- if and .Values.bridge.enabled (not .Values.bridge.from) -}}
{{- fail "bridge.from: not set (expected: the address of the other server, such as http://nacos:8848, with bridge.enabled=true)" -}}
{{- end -}}
{{- if and .Values.bridge.enabled (has "--cut-over" .Values.bridge.options) -}}
{{- fail "bridge.options: --cut-over (expected: a cut-over by hand, because Kubernetes starts a pod that has ended again; docs/guide/migrate-live.md)" -}}
{{- end -}}
{{- if and .Values.bridge.enabled (or .Values.bridge.fromUser .Values.bridge.user) (not .Values.bridge.existingSecret) -}}
{{- fail "bridge.existingSecret: not set (expected: a secret with the passwords of bridge.fromUser and bridge.user)" -}}
{{- end -}}
{{- end -}}
