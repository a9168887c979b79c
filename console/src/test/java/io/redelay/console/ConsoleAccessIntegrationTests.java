package io.redelay.console;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Who may look at the console.
 */
class ConsoleAccessIntegrationTests {

	private static final String SOURCE = "shop.url=redis://localhost:1";

	@ParameterizedTest
	@ValueSource(strings = { "0.0.0.0", "" })
	@ExtendWith(OutputCaptureExtension.class)
	void withoutAPasswordOthersMustNotReachIt(String address, CapturedOutput output) {
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> Console.start(SOURCE, "server.address=" + address).close())
			.satisfies((failure) -> assertThat(NestedExceptionUtils.getMostSpecificCause(failure))
				.isInstanceOf(ConsoleSettingsException.class));
		assertThat(output).contains("APPLICATION FAILED TO START", "The console has no password",
				"spring.security.user.password");
	}

	@Test
	void withAPasswordOnlyWhoKnowsItMayLook() throws Exception {
		try (Console console = Console.start(SOURCE, "server.address=0.0.0.0", "spring.security.user.name=operator",
				"spring.security.user.password=geheim", "spring.security.user.roles=OPERATOR",
				"management.endpoint.queues.show-payloads=when-authorized",
				"management.endpoint.queues.payload-roles=OPERATOR")) {
			for (String path : new String[] { "", "-/sources", "-/app.css", "shop/redelay", "shop/queues" }) {
				assertThat(console.get(path).statusCode()).as(path).isEqualTo(401);
				assertThat(console.send("GET", path, "Authorization", basic("operator:wrong")).statusCode()).as(path)
					.isEqualTo(401);
			}
			assertThat(console.send("GET", "-/sources", "Authorization", basic("operator:geheim")).body())
				.isEqualTo("{\"sources\":[\"shop\"]}");
			assertThat(console.send("GET", "shop/redelay/config", "Authorization", basic("operator:geheim")).body())
				.contains("\"payloads\":true", "\"write\":false");
			assertThat(
					console.send("POST", "shop/queues/x/pause", "Authorization", basic("operator:geheim")).statusCode())
				.isEqualTo(405);
		}
	}

	/**
	 * A page from elsewhere whose name leads to this machine, by DNS rebinding.
	 */
	@Test
	void withoutAPasswordItAnswersToTheNamesOfThisMachineAlone() throws Exception {
		try (Console console = Console.start(SOURCE)) {
			assertThat(statusFor(console, "localhost:" + console.port())).contains(" 200 ");
			assertThat(statusFor(console, "127.0.0.1:" + console.port())).contains(" 200 ");
			assertThat(statusFor(console, "evil.example.org")).contains(" 400 ");
		}
	}

	/**
	 * That page may send the header, for the request is to its own site.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "framework", "native", "none" })
	void aForwardedHostIsNotBelieved(String strategy) throws Exception {
		try (Console console = Console.start(SOURCE, "server.forward-headers-strategy=" + strategy)) {
			String forwarded = "\r\nX-Forwarded-For: 127.0.0.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: localhost";
			assertThat(statusFor(console, "evil.example.org" + forwarded)).contains(" 400 ");
			assertThat(statusFor(console, "localhost" + forwarded)).contains(" 200 ");
		}
	}

	@Test
	void anotherLoopbackAddressIsANameOfThisMachine() throws Exception {
		try (Console console = Console.start(SOURCE, "server.address=127.0.0.2")) {
			assertThat(statusFor(console, "127.0.0.2", "127.0.0.2:" + console.port())).contains(" 200 ");
			assertThat(statusFor(console, "127.0.0.2", "127.0.0.3:" + console.port())).contains(" 400 ");
		}
	}

	private static String statusFor(Console console, String host) throws IOException {
		return statusFor(console, "127.0.0.1", host);
	}

	private static String statusFor(Console console, String address, String host) throws IOException {
		try (Socket socket = new Socket(address, console.port())) {
			socket.getOutputStream()
				.write("GET /-/sources HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(host)
					.getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines()
				.findFirst()
				.orElseThrow();
		}
	}

	private static String basic(String credentials) {
		return "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8));
	}

}
