package io.redelay.management;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;

import io.redelay.queue.QueueOperations;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.server.SecurityWebFilterChain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The headers of the page and the endpoints where Spring Security sets none, and the
 * response to methods that they do not have, in both kinds of web servers.
 */
class EndpointHeadersIntegrationTests {

	private static final HttpClient client = HttpClient.newHttpClient();

	@ParameterizedTest
	@CsvSource({ "SERVLET, false", "REACTIVE, false", "SERVLET, true", "REACTIVE, true" })
	void responsesSayHowTheyAreReadAndKept(WebApplicationType type, boolean ownPort) throws Exception {
		try (ConfigurableApplicationContext application = start(type, ownPort, "read-only")) {
			String base = base(application, ownPort);
			application.getBean(QueueOperations.class).send("orders", "x");
			for (String data : List.of("queues", "queues/orders", "queues/nope", "locks", "redelay/config")) {
				assertHeaders(send("GET", base + data), "no-store");
			}
			for (String file : List.of("redelay", "redelay/app.js", "redelay/icon.svg", "redelay/none.js")) {
				assertHeaders(send("GET", base + file), "no-cache");
			}
			assertThat(send("GET", base + "health").headers().firstValue("X-Content-Type-Options"))
				.as("other endpoints are the application's")
				.isEmpty();
			for (String path : List.of("redelay", "redelay/app.js", "locks", "locks/stock/7", "queues", "queues/orders",
					"queues/orders/pause", "queues/orders/jobs", "queues/orders/messages/1/redrive",
					"queues/a/b/c/d/e")) {
				for (String method : List.of("POST", "DELETE", "PUT", "PATCH")) {
					HttpResponse<String> refused = send(method, base + path);
					assertThat(refused.statusCode()).as(method + " " + path).isEqualTo(405);
					assertThat(refused.headers().firstValue("Allow").orElse("")).contains("GET");
				}
			}
			assertThat(send("HEAD", base + "queues").statusCode()).isEqualTo(200);
		}
	}

	@ParameterizedTest
	@CsvSource({ "SERVLET", "REACTIVE" })
	void operationsThatAreSwitchedOnAreThere(WebApplicationType type) throws Exception {
		try (ConfigurableApplicationContext application = start(type, false, "unrestricted")) {
			String base = base(application, false);
			application.getBean(QueueOperations.class).send("orders", "x");
			HttpResponse<String> paused = send("POST", base + "queues/orders/pause");
			assertThat(paused.statusCode()).isEqualTo(200);
			assertHeaders(paused, "no-store");
			assertThat(send("PUT", base + "queues/orders").statusCode()).isEqualTo(405);
			assertThat(send("POST", base + "locks").statusCode()).isEqualTo(405);
			assertThat(send("POST", base + "redelay").statusCode()).isEqualTo(405);
		}
	}

	private static void assertHeaders(HttpResponse<String> response, String kept) {
		assertThat(response.headers().firstValue("X-Content-Type-Options")).as(response.toString()).hasValue("nosniff");
		assertThat(response.headers().allValues("Cache-Control")).as(response.toString()).containsExactly(kept);
	}

	private static HttpResponse<String> send(String method, String uri) throws Exception {
		HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(uri));
		request.method(method, List.of("GET", "HEAD").contains(method) ? HttpRequest.BodyPublishers.noBody()
				: HttpRequest.BodyPublishers.ofString("{}"))
			.header("Content-Type", "application/json");
		return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
	}

	private static String base(ConfigurableApplicationContext application, boolean ownPort) {
		return "http://localhost:"
				+ application.getEnvironment().getProperty(ownPort ? "local.management.port" : "local.server.port")
				+ "/actuator/";
	}

	private static ConfigurableApplicationContext start(WebApplicationType type, boolean ownPort, String access) {
		return new SpringApplicationBuilder(Application.class).web(type)
			.run("--server.port=0", "--redelay.embedded-redis.port=0", "--spring.main.banner-mode=off",
					"--management.server.port=" + (ownPort ? "0" : ""), "--logging.level.io.redelay=off",
					"--management.endpoints.web.exposure.include=health,queues,locks,redelay",
					"--management.endpoint.queues.access=" + access,
					// Tomcat and Netty are both on the class path.
					"--spring.main.allow-bean-definition-overriding=true", "--management.opentelemetry.enabled=false",
					"--management.otlp.metrics.export.enabled=false");
	}

	/**
	 * Spring Security allows all, and sets no headers.
	 */
	@SpringBootConfiguration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
		static class Servlet {

			@Bean
			SecurityFilterChain security(HttpSecurity http) {
				return http.authorizeHttpRequests((requests) -> requests.anyRequest().permitAll())
					.csrf((csrf) -> csrf.disable())
					.headers((headers) -> headers.disable())
					.build();
			}

		}

		@Configuration(proxyBeanMethods = false)
		@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
		static class Reactive {

			@Bean
			SecurityWebFilterChain security(ServerHttpSecurity http) {
				return http.authorizeExchange((exchanges) -> exchanges.anyExchange().permitAll())
					.csrf((csrf) -> csrf.disable())
					.headers((headers) -> headers.disable())
					.build();
			}

		}

	}

}
