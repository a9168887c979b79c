package io.redelay.management.docs;

import java.io.IOException;
import java.net.CookieManager;
import java.net.HttpCookie;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.redelay.queue.QueueListener;
import io.redelay.queue.QueueOperations;
import io.redelay.queue.admin.QueueAdmin;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.Resource;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What the recipes of the guide make of Spring Security: people sign in with a form and
 * act through the page, programs with HTTP Basic, and a foreign page does neither.
 */
class PageSecurityIntegrationTests {

	private static final Path RECIPES = Path.of("..", "autoconfigure", "src", "test", "java", "io", "redelay", "docs",
			"recipes");

	private static final Pattern CSRF = Pattern.compile("name=\"_csrf\"[^>]*value=\"([^\"]+)\"");

	private final CookieManager cookies = new CookieManager();

	private final HttpClient browser = HttpClient.newBuilder().cookieHandler(this.cookies).build();

	private final HttpClient program = HttpClient.newHttpClient();

	@ParameterizedTest
	@EnumSource(value = WebApplicationType.class, names = { "SERVLET", "REACTIVE" })
	void peopleAndProgramsMayDoWhatIsTheirs(WebApplicationType type) throws Exception {
		try (ConfigurableApplicationContext application = start(type)) {
			String base = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
			application.getBeanProvider(InMemoryUserDetailsManager.class)
				.ifAvailable((users) -> users.createUser(Application.user("guest", "GUEST")));
			programs(base);
			people(base);
			shell(base, application);
		}
	}

	private void programs(String base) throws Exception {
		String pause = base + "/actuator/queues/receipts/pause";
		assertThat(send(this.program, get(base + "/actuator/health")).statusCode()).isEqualTo(200);
		assertThat(send(this.program, get(base + "/actuator/queues")).statusCode()).isEqualTo(401);
		assertThat(send(this.program, as("viewer", get(base + "/actuator/queues"))).statusCode()).isEqualTo(200);
		assertThat(send(this.program, as("viewer", post(pause))).statusCode()).isEqualTo(403);
		assertThat(send(this.program, as("guest", get(base + "/actuator/queues"))).statusCode()).isEqualTo(403);
		assertThat(send(this.program, as("operator", post(pause))).statusCode()).isEqualTo(200);
		// A browser that knows the password is made to send the request by another page.
		assertThat(send(this.program, as("operator", post(pause)).header("Origin", "http://evil.example")).statusCode())
			.isEqualTo(403);
	}

	private void people(String base) throws Exception {
		String page = base + "/actuator/redelay";
		HttpResponse<String> form = send(this.browser, get(page).header("Accept", "text/html"));
		assertThat(form.statusCode()).isEqualTo(302);
		assertThat(form.headers().firstValue("Location").orElse("")).endsWith("/login");
		HttpResponse<String> ended = send(this.browser,
				get(page + "/config").header("X-Requested-With", "XMLHttpRequest"));
		assertThat(ended.statusCode()).isEqualTo(401);
		assertThat(ended.headers().firstValue("WWW-Authenticate")).isEmpty();
		signIn(base);
		// Other ways to sign in show no form that creates the token.
		List.copyOf(this.cookies.getCookieStore().getCookies())
			.stream()
			.filter((cookie) -> cookie.getName().equals("XSRF-TOKEN"))
			.forEach((cookie) -> this.cookies.getCookieStore().remove(null, cookie));
		assertThat(send(this.browser, get(page).header("Accept", "text/html")).statusCode()).isEqualTo(200);
		assertThat(send(this.browser, get(page + "/config")).body()).contains("\"write\":true");
		HttpRequest.Builder resume = post(base + "/actuator/queues/receipts/resume");
		assertThat(send(this.browser, resume).statusCode()).isEqualTo(403);
		String token = this.cookies.getCookieStore()
			.getCookies()
			.stream()
			.filter((cookie) -> cookie.getName().equals("XSRF-TOKEN"))
			.map(HttpCookie::getValue)
			.findFirst()
			.orElseThrow();
		assertThat(send(this.browser, resume.header("X-XSRF-TOKEN", token)).statusCode()).isEqualTo(200);
	}

	private void signIn(String base) throws Exception {
		Matcher token = CSRF.matcher(send(this.browser, get(base + "/login").header("Accept", "text/html")).body());
		assertThat(token.find()).isTrue();
		String form = "username=operator&password=operator&_csrf="
				+ URLEncoder.encode(token.group(1), StandardCharsets.UTF_8);
		HttpResponse<String> signedIn = send(this.browser,
				HttpRequest.newBuilder(URI.create(base + "/login"))
					.header("Content-Type", "application/x-www-form-urlencoded")
					.POST(HttpRequest.BodyPublishers.ofString(form)));
		assertThat(signedIn.headers().firstValue("Location").orElse("")).doesNotContain("error");
	}

	/**
	 * The commands of the recipes.
	 */
	private void shell(String base, ConfigurableApplicationContext application) throws Exception {
		QueueOperations queues = application.getBean(QueueOperations.class);
		QueueAdmin admin = application.getBean(QueueAdmin.class);
		String later = queues.send("receipts", "amy", Duration.ofDays(1)).id();
		assertThat(run("act.sh", base, later)).contains("\"paused\":true", "\"paused\":false", "\"done\":true")
			.doesNotContain("\"error\"");
		assertThat(admin.messages().find("receipts", later)).isEmpty();
		String dead = queues.send("receipts", "amy").id();
		await().until(() -> admin.queues().info("receipts").dead() == 1);
		assertThat(run("dead-letters.sh", base, dead))
			.contains("\"total\":1", "java.lang.IllegalStateException", "\"payload\":\"amy\"", "\"done\":true",
					"\"action\":\"REDRIVE\"")
			.doesNotContain("\"error\"");
	}

	private static String run(String script, String base, String message) throws Exception {
		ProcessBuilder builder = new ProcessBuilder("bash", "-e", "src/test/java/io/redelay/management/docs/" + script)
			.redirectErrorStream(true);
		builder.environment()
			.putAll(Map.of("QUEUES", base + "/actuator/queues", "OPERATOR_PASSWORD", "operator", "MESSAGE", message));
		Process shell = builder.start();
		String output = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(shell.waitFor()).as(output).isZero();
		return output;
	}

	private static ConfigurableApplicationContext start(WebApplicationType type) throws IOException {
		Resource recipe = new FileSystemResource(RECIPES.resolve("page.yaml"));
		return new SpringApplicationBuilder(Application.class).web(type).initializers((context) -> {
			try {
				new YamlPropertySourceLoader().load("recipe", recipe)
					.forEach(context.getEnvironment().getPropertySources()::addLast);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		})
			.run("--server.port=0", "--redelay.embedded-redis.port=0", "--spring.main.banner-mode=off",
					"--page.viewer-password=viewer", "--page.operator-password=operator",
					// Tomcat and Netty are both on the class path.
					"--spring.main.allow-bean-definition-overriding=true", "--logging.level.io.redelay=off",
					"--management.opentelemetry.enabled=false", "--management.otlp.metrics.export.enabled=false");
	}

	private static HttpRequest.Builder get(String uri) {
		return HttpRequest.newBuilder(URI.create(uri));
	}

	private static HttpRequest.Builder post(String uri) {
		return HttpRequest.newBuilder(URI.create(uri))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString("{}"));
	}

	private static HttpRequest.Builder as(String user, HttpRequest.Builder request) {
		return request.header("Authorization",
				"Basic " + Base64.getEncoder().encodeToString((user + ":" + user).getBytes(StandardCharsets.UTF_8)));
	}

	private static HttpResponse<String> send(HttpClient client, HttpRequest.Builder request) throws Exception {
		return client.send(request.timeout(Duration.ofMinutes(1)).build(), HttpResponse.BodyHandlers.ofString());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		private static UserDetails user(String name, String role) {
			return User.withUsername(name).password("{noop}" + name).roles(role).build();
		}

		@QueueListener(queues = "receipts", maxAttempts = "1")
		void mail(String to) {
			throw new IllegalStateException("The mail server is away");
		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
		@Import({ PageSecurity.class, PageUsers.class })
		static class Servlet {

		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
		@Import(ReactivePageSecurity.class)
		static class Reactive {

			@Bean
			MapReactiveUserDetailsService userDetails() {
				return new MapReactiveUserDetailsService(user("guest", "GUEST"), user("viewer", "VIEWER"),
						user("operator", "OPERATOR"));
			}

		}

	}

}
