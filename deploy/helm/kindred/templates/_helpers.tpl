{{- define "kindred.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "kindred.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "kindred.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "kindred.image" -}}
{{ required "Set image.repository to the image you built." .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "kindred.databaseSecret" -}}
{{ .Values.database.existingSecret | default (printf "%s-database" (include "kindred.name" .)) }}
{{- end }}

{{- define "kindred.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "kindred.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "kindred.reuse" }} If helm upgrade ran with --reuse-values: use --reset-then-reuse-values, because --reuse-values keeps the defaults of the old chart.{{ end }}

{{- define "kindred.gib" -}}
{{- $value := get .of.settings .name }}
{{- $reuse := hasKey .of.settings .name | ternary "" (include "kindred.reuse" .) }}
{{- if or (lt (int64 $value) 1) (ne (float64 $value) (float64 (int64 $value))) }}
{{- fail (printf "Set %s.%s to a whole number of GiB, at least 1.%s" .of.component .name $reuse) }}
{{- end }}
{{- int64 $value }}
{{- end }}

{{- define "kindred.cacheGi" -}}
{{- if ne .component "kafka" }}{{ include "kindred.gib" (dict "of" . "name" "cacheGi") }}{{ end }}
{{- end }}

{{- define "kindred.diskGi" -}}
{{- range $old := list "cacheSize" "scratchSize" }}
{{- if get $.settings $old }}{{ fail (printf "Replace %s.%s with cacheGi and scratchGi, numbers of GiB.%s" $.component $old (include "kindred.reuse" $)) }}{{ end }}
{{- end }}
{{- include "kindred.gib" (dict "of" . "name" "scratchGi") | add (include "kindred.cacheGi" .) }}
{{- end }}

{{- define "kindred.env" -}}
{{- $names := list "KINDRED_ROLES" "KINDRED_ARTIFACTS_URL" "KINDRED_BASE_URL" "KINDRED_DATABASE_URL" "KINDRED_DATA_DIR" "KINDRED_PORT" "KINDRED_ARTIFACT_CACHE_MB" }}
- name: KINDRED_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "kindred.databaseSecret" .root }}
      key: {{ .root.Values.database.key }}
- name: KINDRED_ARTIFACTS_URL
  value: {{ required "Set artifacts.url to an s3://bucket/prefix that every node reaches." .root.Values.artifacts.url | quote }}
- name: KINDRED_DATA_DIR
  value: /data
- name: KINDRED_PORT
  value: "8080"
- name: KINDRED_ROLES
  value: {{ .roles }}
{{- with include "kindred.cacheGi" . }}
- name: KINDRED_ARTIFACT_CACHE_MB
  value: {{ mul 1024 . | quote }}
{{- end }}
{{- with .root.Values.baseUrl }}
- name: KINDRED_BASE_URL
  value: {{ . | quote }}
{{- end }}
# The root file system is read-only.
- name: HOME
  value: /tmp
{{- range $name, $value := merge (dict) (.settings.env | default dict) .root.Values.env }}
{{- if has $name $names }}{{ fail (printf "%s is set by the chart: use its own setting instead of env." $name) }}{{ end }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{- define "kindred.envFrom" -}}
{{- range .Values.secretEnv }}
- secretRef:
    name: {{ . }}
{{- end }}
{{- end }}
