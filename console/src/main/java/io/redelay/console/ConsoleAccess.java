package io.redelay.console;

import java.net.InetAddress;
import java.util.Set;

import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.security.autoconfigure.SecurityProperties;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.firewall.FirewalledRequest;
import org.springframework.security.web.firewall.RequestRejectedException;
import org.springframework.security.web.firewall.StrictHttpFirewall;
import org.springframework.util.StringUtils;

/**
 * Who may look: whoever knows the password of {@code spring.security.user}. Without one
 * only users of this machine, and the console does not start if others could reach it.
 */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties({ SecurityProperties.class, ServerProperties.class })
class ConsoleAccess {

	/**
	 * The names of this machine for itself. A page from elsewhere that has a name of its
	 * own lead here (DNS rebinding) is refused by them.
	 */
	private static final Set<String> THIS_MACHINE = Set.of("localhost", "127.0.0.1", "[::1]", "::1", "0:0:0:0:0:0:0:1",
			"[0:0:0:0:0:0:0:1]");

	private final SecurityProperties.User user;

	private final @Nullable InetAddress address;

	ConsoleAccess(SecurityProperties security, ServerProperties server) {
		this.user = security.getUser();
		this.address = server.getAddress();
		if (!hasPassword() && (this.address == null || !this.address.isLoopbackAddress())) {
			throw new ConsoleSettingsException(
					"The console has no password, and 'server.address' lets others than users of this machine reach it.",
					"Set 'spring.security.user.password', and 'spring.security.user.name' if it is to be another one than"
							+ " 'user'; or leave 'server.address' at 127.0.0.1, and reach it through a tunnel.");
		}
	}

	private boolean hasPassword() {
		return !this.user.isPasswordGenerated();
	}

	@Bean
	SecurityFilterChain consoleSecurity(HttpSecurity http) {
		// There is nothing to change by a request of another site.
		http.csrf((csrf) -> csrf.disable())
			.requestCache((cache) -> cache.disable())
			.logout((logout) -> logout.disable())
			.sessionManagement((sessions) -> sessions.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
		if (hasPassword()) {
			http.authorizeHttpRequests((requests) -> requests.anyRequest().authenticated())
				.httpBasic(Customizer.withDefaults());
		}
		else {
			http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll());
		}
		return http.build();
	}

	@Bean
	UserDetailsService consoleUsers() {
		if (!hasPassword()) {
			return new InMemoryUserDetailsManager();
		}
		String password = this.user.getPassword();
		return new InMemoryUserDetailsManager(User.withUsername(this.user.getName())
			.password(password.matches("(?s)\\{.+}.*") ? password : "{noop}" + password)
			.roles(StringUtils.toStringArray(this.user.getRoles()))
			.build());
	}

	@Bean
	StrictHttpFirewall consoleFirewall() {
		if (hasPassword()) {
			return new StrictHttpFirewall();
		}
		StrictHttpFirewall firewall = new StrictHttpFirewall() {

			@Override
			public FirewalledRequest getFirewalledRequest(HttpServletRequest request) {
				// The name of the server may be that of X-Forwarded-Host, which each page
				// can send.
				String host = request.getHeader("Host");
				if (host != null && !isOfThisMachine(host.replaceFirst(":\\d*$", ""))) {
					throw new RequestRejectedException("The request has a Host that is not allowed");
				}
				return super.getFirewalledRequest(request);
			}

		};
		firewall.setAllowedHostnames(this::isOfThisMachine);
		return firewall;
	}

	private boolean isOfThisMachine(String name) {
		return THIS_MACHINE.contains(name) || (this.address != null && name.equals(this.address.getHostAddress()));
	}

}
