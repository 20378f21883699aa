@echo off
rem Starts the Cairn server of this folder in this window; Ctrl+C or shutdown.cmd ends it. See --help.
setlocal EnableExtensions DisableDelayedExpansion
for %%d in ("%~dp0..") do set "CAIRN_HOME=%%~fd"

set "MODE="
set "MEMBERS="
set "FUNCTION="
set "ARGUMENTS="

rem cmd splits arguments at an equals sign: --server.port=18848 arrives as two.
:parse
if "%~1"=="" goto parsed
if "%~1"=="--help" goto usage
if "%~1"=="--version" goto version
if "%~1"=="--foreground" (
  shift
  goto parse
)
if "%~1"=="--dry-run" (
  set ARGUMENTS=%ARGUMENTS% --dry-run
  shift
  goto parse
)
if "%~1"=="-m" goto mode
if "%~1"=="-p" goto store
if "%~1"=="-f" goto function
if "%~1"=="-c" goto members
if "%~1"=="-s" (
  shift
  shift
  goto parse
)
set "ARGUMENT=%~1"
if not "%ARGUMENT:~0,2%"=="--" goto unknown
for /f "tokens=1* delims==" %%a in ("%ARGUMENT%") do if not "%%b"=="" goto whole
if "%~2"=="" goto unknown
set ARGUMENTS=%ARGUMENTS% "%ARGUMENT%=%~2"
shift
shift
goto parse
:whole
set ARGUMENTS=%ARGUMENTS% "%ARGUMENT%"
shift
goto parse

:mode
if "%~2"=="cluster" goto mode_taken
if not "%~2"=="standalone" (
  echo startup.cmd: -m: %~2 ^(expected: standalone or cluster^) 1>&2
  exit /b 2
)
set "MODE=standalone"
shift
shift
goto parse
:mode_taken
set "MODE=cluster"
shift
shift
goto parse

:members
if "%~2"=="" (
  echo startup.cmd: -c: ^(expected: "ip:port,..."^) 1>&2
  exit /b 2
)
set "MEMBERS=%~2"
shift
shift
goto parse

:store
if not "%~2"=="embedded" (
  echo startup.cmd: -p: %~2 ^(expected: embedded^) 1>&2
  exit /b 2
)
shift
shift
goto parse

:function
if "%~2"=="all" goto function_taken
if "%~2"=="config" goto function_named
if "%~2"=="naming" goto function_named
echo startup.cmd: -f: %~2 (expected: config, naming or all) 1>&2
exit /b 2
:function_named
set FUNCTION="-Dnacos.functionMode=%~2"
:function_taken
shift
shift
goto parse

:unknown
echo startup.cmd: unknown option %~1 (try --help) 1>&2
exit /b 2

:version
set "VERSION="
for %%j in ("%CAIRN_HOME%\lib\cairn-api-*.jar") do set "VERSION=%%~nj"
echo Cairn %VERSION:cairn-api-=%
exit /b 0

:usage
echo Usage: startup.cmd [-m standalone^|cluster] [-c "ip:port,..."] [-p embedded] [-f config^|naming^|all] [-s name] [--setting=value ...]
echo.
echo Starts the Cairn server of %CAIRN_HOME% in this window.
echo A setting is one of conf\application.properties, such as --server.port=18848.
echo.
echo Environment: CAIRN_JAVA_HOME (the JDK to use), CAIRN_MEMORY or CUSTOM_NACOS_MEMORY (the largest heap, such
echo as 4g, or JVM memory flags; without it -Xms64m -Xmx1g), CAIRN_OPTS and JAVA_OPTS (more JVM flags), CAIRN_AOT=off (no start-up archive in data\aot).
exit /b 0

:parsed
if not defined MODE if defined MEMBERS set "MODE=cluster"
rem A line that begins with an address or a host name. The end of a line is not looked for: findstr finds it after CR only.
if not defined MODE if exist "%CAIRN_HOME%\conf\cluster.conf" (
  findstr /r /c:"^[ 	]*[0-9A-Za-z:]" /c:"^[ 	]*\[" "%CAIRN_HOME%\conf\cluster.conf" >nul && set "MODE=cluster"
)
if not defined MODE if exist "%CAIRN_HOME%\conf\application.properties" (
  findstr /r /c:"^[ 	]*nacos\.standalone[ 	]*=[ 	]*false" /c:"^[ 	]*nacos\.member\.list[ 	]*=[ 	]*[0-9A-Za-z:[]" /c:"^[ 	]*nacos\.core\.member\.lookup\.type[ 	]*=[ 	]*[A-Za-z]" /c:"^[ 	]*cairn\.cluster\.dns[ 	]*=[ 	]*[0-9A-Za-z]" "%CAIRN_HOME%\conf\application.properties" >nul && set "MODE=cluster"
)
set "STANDALONE=true"
if "%MODE%"=="cluster" (
  set "STANDALONE=false"
  if defined MEMBERS set ARGUMENTS=%ARGUMENTS% "--nacos.member.list=%MEMBERS%"
)

set "JAVA_FEATURE=0"
set "JAVA_FOLDER="
if defined CAIRN_JAVA_HOME (
  call :consider "%CAIRN_JAVA_HOME%"
  goto considered
)
if defined JAVA_HOME call :consider "%JAVA_HOME%"
for %%j in (java.exe) do if not "%%~dp$PATH:j"=="" call :consider "%%~dp$PATH:j.."
for /d %%d in ("%ProgramFiles%\Java\*" "%ProgramFiles%\Eclipse Adoptium\*" "%ProgramFiles%\Microsoft\jdk*" "%ProgramFiles%\Zulu\*" "%ProgramFiles%\Amazon Corretto\*") do call :consider "%%~d"
:considered
if not defined JAVA_FOLDER (
  echo Cairn did not start: no JDK 17 or newer in JAVA_HOME, on the PATH or below Program Files ^(set CAIRN_JAVA_HOME^) 1>&2
  exit /b 1
)

if not exist "%CAIRN_HOME%\data\aot" mkdir "%CAIRN_HOME%\data\aot"
if not exist "%CAIRN_HOME%\logs" mkdir "%CAIRN_HOME%\logs"

if not defined CAIRN_MEMORY set "CAIRN_MEMORY=%CUSTOM_NACOS_MEMORY%"
if not defined CAIRN_MEMORY set "CAIRN_MEMORY=-Xms64m -Xmx1g"
rem A size alone is the largest heap, and what is neither a size nor flags is refused, as startup.sh has it.
echo("%CAIRN_MEMORY%"| findstr /r /i /c:"^.[1-9][0-9]*[kmg].$" >nul && set "CAIRN_MEMORY=-Xmx%CAIRN_MEMORY%"
set "REST=%CAIRN_MEMORY%"
:memory
if not defined REST goto memory_taken
for /f "tokens=1*" %%a in ("%REST%") do (
  set "WORD=%%a"
  set "REST=%%b"
)
if "%WORD:~0,1%"=="-" goto memory
echo startup.cmd: CAIRN_MEMORY: %WORD% (expected: a size such as 512m, or JVM flags such as -Xms512m -Xmx4g) 1>&2
exit /b 2
:memory_taken
set "FLAGS=%CAIRN_MEMORY% -XX:+UseG1GC -XX:+ExitOnOutOfMemoryError --enable-native-access=ALL-UNNAMED"
if %JAVA_FEATURE% GEQ 25 set "FLAGS=%FLAGS% -XX:+UseCompactObjectHeaders"
rem Its refinement threads wake 13 times a second for ever: see ADR 33.
if %JAVA_FEATURE% EQU 25 set "FLAGS=%FLAGS% -XX:G1ConcRefinementThreads=0"
rem The optimizing compiler inlines less than by default: the tuning notes in the sources have the measurements.
set "FLAGS=%FLAGS% -XX:FreqInlineSize=160 -XX:MaxInlineLevel=9 -XX:InlineSmallCode=1000"
set "ARCHIVE="
rem Here the JVM itself keeps the archive: it is written when the server ends, and again when it does not fit.
if /i not "%CAIRN_AOT%"=="off" if %JAVA_FEATURE% GEQ 19 set ARCHIVE=-XX:+AutoCreateSharedArchive "-XX:SharedArchiveFile=%CAIRN_HOME%\data\aot\cairn-java%JAVA_FEATURE%.jsa" -Xlog:cds=off -Xlog:cds+dynamic=off

"%JAVA_FOLDER%\bin\java.exe" "-Dcairn.home=%CAIRN_HOME%" "-Dcairn.pid-file=%CAIRN_HOME%\data\cairn.pid" -Dnacos.standalone=%STANDALONE% %FUNCTION% "-XX:ErrorFile=%CAIRN_HOME%\logs\hs_err_%%p.log" %FLAGS% %ARCHIVE% %JAVA_OPTS% %CAIRN_OPTS% -cp "%CAIRN_HOME%\lib\*" io.cairn.server.CairnServer %ARGUMENTS%
exit /b %ERRORLEVEL%

rem Takes the JDK in folder %1 when it is suitable and newer than what was found.
:consider
if not exist "%~1\bin\java.exe" exit /b
set "FOUND="
for /f "tokens=2 delims==" %%v in ('findstr /b "JAVA_VERSION=" "%~1\release" 2^>nul') do set "FOUND=%%~v"
for /f "tokens=1 delims=.-+" %%f in ("%FOUND%") do set "FOUND=%%f"
if not defined FOUND exit /b
if %FOUND% LSS 17 exit /b
if %FOUND% LEQ %JAVA_FEATURE% exit /b
set "JAVA_FEATURE=%FOUND%"
set "JAVA_FOLDER=%~f1"
exit /b
