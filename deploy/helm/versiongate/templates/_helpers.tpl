{{- define "versiongate.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains .Chart.Name .Release.Name -}}
{{- .Release.Name -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 57 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "versiongate.selectorLabels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "versiongate.labels" -}}
{{ include "versiongate.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "versiongate.rulesConfigMap" -}}
{{- .Values.rules.existingConfigMap | default (printf "%s-rules" (include "versiongate.fullname" .)) -}}
{{- end -}}

{{- define "versiongate.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (ternary (include "versiongate.fullname" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{- define "versiongate.clientPortName" -}}
{{- ternary "https" "http" (not (empty .Values.tls.existingSecret)) -}}
{{- end -}}

{{- define "versiongate.minimumReplicas" -}}
{{- ternary .Values.autoscaling.minReplicas .Values.replicas .Values.autoscaling.enabled -}}
{{- end -}}

{{- define "versiongate.readyProbe" -}}
{{- if .Values.admin.existingSecret -}}
path: /-/ready
port: admin
{{- else if .Values.upstream -}}
path: /.versiongate/status
port: {{ include "versiongate.clientPortName" . }}
{{- if .Values.tls.existingSecret }}
scheme: HTTPS
{{- end }}
{{- else -}}
path: /decide/ready
port: grpc
{{- end -}}
{{- end -}}

{{- define "versiongate.settingValue" -}}
{{- if kindIs "slice" . -}}
{{- join "," . -}}
{{- else if kindIs "string" . -}}
{{- . -}}
{{- else -}}
{{- /* A large number would otherwise be printed as 1e+06. */ -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}

{{- define "versiongate.check" -}}
{{- if not (or .Values.upstream .Values.decide.enabled) -}}
{{- fail "upstream is required: the URL of the backend, for example --set upstream=http://backend:80 (or decide.enabled=true for a gate that only answers authorization requests from gateways)" -}}
{{- end -}}
{{- if not .Values.upstream -}}
{{- if .Values.tls.existingSecret }}{{ fail "tls.existingSecret needs upstream: without a backend, there is no port for clients" }}{{ end -}}
{{- if .Values.upstreamNamed }}{{ fail "upstreamNamed needs upstream, the backend for all other requests" }}{{ end -}}
{{- end -}}
{{- if and .Values.state.existingClaim (or .Values.autoscaling.enabled (ne (int .Values.replicas) 1)) -}}
{{- fail "state.existingClaim allows only one pod: set autoscaling.enabled=false and replicas=1" -}}
{{- end -}}
{{- if and .Values.upstream (not .Values.admin.existingSecret) (eq (toString .Values.settings.clientEndpoints) "false") -}}
{{- fail "settings.clientEndpoints=false needs admin.existingSecret: the probes would have no path" -}}
{{- end -}}
{{- end -}}
