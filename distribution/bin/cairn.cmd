@echo off
rem Works with a Cairn server from a terminal or a script. See --help.
setlocal EnableExtensions DisableDelayedExpansion
for %%d in ("%~dp0..") do set "CAIRN_HOME=%%~fd"
set "CAIRN_JAVA=java"
if defined JAVA_HOME set "CAIRN_JAVA=%JAVA_HOME%\bin\java"
if defined CAIRN_JAVA_HOME set "CAIRN_JAVA=%CAIRN_JAVA_HOME%\bin\java"
"%CAIRN_JAVA%" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx256m "-Dcairn.home=%CAIRN_HOME%" -cp "%CAIRN_HOME%\lib\*;%CAIRN_HOME%\lib\cli\*" io.cairn.cli.Cairn %*
exit /b %ERRORLEVEL%
