package io.redelay.console;

import java.net.InetAddress;
import java.util.Set;

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

	ConsoleAccess(SecurityProperties security, ServerProperties server) {
		this.user = security.getUser();
		InetAddress address = server.getAddress();
		if (!hasPassword() && (address == null || !address.isLoopbackAddress())) {
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
		StrictHttpFirewall firewall = new StrictHttpFirewall();
		if (!hasPassword()) {
			firewall.setAllowedHostnames(THIS_MACHINE::contains);
		}
		return firewall;
	}

}
