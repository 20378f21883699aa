<#-- The list of third-party components; license-maven-plugin fills it in, and the build appends the rows of Cairn's own jars that hold more. -->
<#function text licences artifactId>
  <#return licences?seq_contains("Apache-2.0")?then("LICENSE", "licenses/" + artifactId + "/")>
</#function>
<#function name component>
  <#local id = component.groupId + ":" + component.artifactId>
  <#return component.url???then("[" + id + "](" + (component.url!"") + ")", id)>
</#function>
# Third-party components
Besides the code of Cairn, this folder or jar holds these components, or parts of them. The paths in the last column begin in the
folder of this file. `licenses/` also has the notices and further licences that a component holds, in a folder named for it.
Where a component has a choice of licences, Cairn uses it under the first one that is Apache-2.0, BSD, EPL or MIT. The
sources of a component are at the address that its name links to.

| component | version | licence | text |
|---|---|---|---|
<#list dependencyMap as entry>
<#assign component = entry.getKey()>
<#assign licences = entry.getValue()>
| ${name(component)} | ${component.version} | ${licences?join(" or ")} | ${text(licences, component.artifactId)} |
</#list>
