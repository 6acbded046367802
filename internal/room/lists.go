package room

// secrets are the folders of the home folder that no agent sees, unless the user says so.
var secrets = []string{".ssh", ".aws", ".gnupg"}

// daemons are folders of the home folder with sockets of programs that run anything for their
// caller, outside of the room.
var daemons = []string{".docker/run", ".docker/desktop", ".colima", ".lima", ".orbstack/run", ".rd"}

// socketVars name sockets of such programs, wherever they are.
var socketVars = []string{"DOCKER_HOST", "CONTAINER_HOST", "SSH_AUTH_SOCK", "TMUX"}

// system are folders below /run that hold programs and not sockets.
var system = []string{"/run/current-system", "/run/wrappers", "/run/opengl-driver", "/run/booted-system"}

// ofTheKernel are the parts of /proc that change the machine and not only a process. A root
// without any capability may still write them, in a user namespace too.
var ofTheKernel = []string{"/proc/sys", "/proc/sysrq-trigger", "/proc/acpi", "/proc/driver", "/proc/fs", "/proc/mtrr", "/proc/scsi"}

// toolchains are folders of the home folder with compilers, interpreters and the programs
// that choose among them.
var toolchains = []string{
	".nvm", ".volta", ".fnm", ".local/share/fnm", ".nodenv", "n", ".bun", ".deno", ".npm-global", ".local/share/npm",
	".pyenv", ".local/lib", ".local/share/pipx", ".local/pipx", ".local/share/uv", ".conda", "miniconda3", "anaconda3",
	"miniforge3", "mambaforge", ".local/share/virtualenvs",
	".rbenv", ".rvm", ".gem", ".rustup", ".cargo/bin", ".cargo/env", ".goenv", "go/bin", "sdk", ".sdkman", ".jenv", ".jabba",
	".asdf", ".local/share/mise", ".config/mise", ".local/share/rtx", ".tool-versions", ".proto", ".phpenv", ".config/composer/vendor",
	".ghcup", ".opam", ".elan", ".juliaup", ".swiftly", ".dotnet", ".dotnet/tools", ".moon", ".linuxbrew", ".nix-profile",
	".local/state/nix", ".local/bin", "bin",
}

// toolchainVars name such folders, wherever they are.
var toolchainVars = []string{
	"GOROOT", "JAVA_HOME", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "VOLTA_HOME", "FNM_DIR", "PYENV_ROOT", "RBENV_ROOT",
	"SDKMAN_DIR", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "PNPM_HOME", "BUN_INSTALL", "ANDROID_HOME", "VIRTUAL_ENV",
	"DOTNET_ROOT", "CONDA_PREFIX", "GEM_HOME", "GOBIN",
}

// caches are folders of the home folder with downloaded packages and what compilers keep.
var caches = []string{
	".cache", ".npm", ".yarn", ".pnpm-store", ".local/share/pnpm", ".local/share/virtualenv", ".node-gyp", "go/pkg",
	".cargo/registry", ".cargo/git", ".gradle", ".m2", ".ivy2", ".sbt", ".coursier", ".nuget", ".bundle", ".composer",
	".local/share/composer", ".pub-cache", ".hex", ".mix", ".cabal", ".stack", ".julia", ".conan", ".conan2", ".ccache",
	".terraform.d/plugin-cache", ".cocoapods", "Library/Caches",
}

// cacheVars name such folders, wherever they are.
var cacheVars = []string{
	"XDG_CACHE_HOME", "GOCACHE", "GOMODCACHE", "npm_config_cache", "YARN_CACHE_FOLDER", "PIP_CACHE_DIR", "UV_CACHE_DIR",
	"POETRY_CACHE_DIR", "GRADLE_USER_HOME", "CCACHE_DIR", "SCCACHE_DIR", "DENO_DIR", "NUGET_PACKAGES", "COMPOSER_CACHE_DIR",
	"PLAYWRIGHT_BROWSERS_PATH", "CYPRESS_CACHE_FOLDER",
}

// Offline returns the variables that stop package managers from downloading: a check must not
// fetch what it runs. In a room without a network they fail at once, and do not try for minutes.
func Offline() []string {
	return []string{
		"npm_config_offline=true", "YARN_ENABLE_NETWORK=0", "PIP_NO_INDEX=1", "UV_OFFLINE=1", "GOPROXY=off",
		"CARGO_NET_OFFLINE=true", "COMPOSER_DISABLE_NETWORK=1", "MAVEN_ARGS=--offline", "DENO_NO_UPDATE_CHECK=1",
	}
}

// Redirects returns patterns of the variables that make programs load other code or settings.
// Checks do not get these variables.
func Redirects() []string {
	return []string{
		"RALPH_*", "GIT_*", "LD_PRELOAD", "LD_AUDIT", "DYLD_*", "BASH_ENV", "ENV", "MAKEFLAGS", "MAKEFILES", "MFLAGS", "GNUMAKEFLAGS",
		"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTEST_ADDOPTS", "PYTEST_PLUGINS", "NODE_PATH", "NODE_OPTIONS", "GOFLAGS", "GOWORK",
		"RUBYOPT", "RUBYLIB", "PERL5LIB", "PERL5OPT", "PHP_INI_SCAN_DIR", "CLASSPATH", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
		"JDK_JAVA_OPTIONS", "MAVEN_OPTS", "MAVEN_ARGS", "GRADLE_OPTS", "RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_BUILD_*", "npm_config_script_shell",
	}
}
