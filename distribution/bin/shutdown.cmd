@echo off
rem Ends the Cairn server of this folder. Windows has no signal that asks a Java program to end, so the process is ended
rem at once; what it has acknowledged is durable.
setlocal EnableExtensions DisableDelayedExpansion
for %%d in ("%~dp0..") do set "CAIRN_HOME=%%~fd"
set "CAIRN_PID="
if exist "%CAIRN_HOME%\data\cairn.pid" for /f "usebackq" %%p in ("%CAIRN_HOME%\data\cairn.pid") do set "CAIRN_PID=%%p"
if not defined CAIRN_PID goto absent
powershell -NoProfile -Command "$p = Get-CimInstance Win32_Process -Filter ('ProcessId=' + $env:CAIRN_PID); if (-not $p -or -not $p.CommandLine.Contains('-Dcairn.home=' + $env:CAIRN_HOME + [char]34) -and -not $p.CommandLine.Contains('-Dcairn.home=' + $env:CAIRN_HOME + ' ')) { exit 1 }"
if errorlevel 1 goto absent
taskkill /F /PID %CAIRN_PID% >nul || exit /b 1
echo Cairn stopped (pid %CAIRN_PID%)
exit /b 0

:absent
echo Cairn is not running in %CAIRN_HOME%
exit /b 0
