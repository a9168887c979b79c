package io.redelay.console;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.redelay.embedded.redis.RedisServer;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A console of three sources: the first one with all rights, the second one with the user
 * of the guide, and one whose Redis is away. The applications of both were stopped.
 */
class ConsoleIntegrationTests {

	private static final Path GUIDE = Path.of("..", "docs", "src", "docs", "asciidoc", "dashboard.adoc");

	/**
	 * What each page reads.
	 */
	private static final List<String> READS = List.of("queues", "queues?show=trouble&sort=dead", "queues/payments",
			"queues/-/status", "queues/-/instances", "queues/-/topics", "queues/-/topics/order-events",
			"queues/-/recurring", "queues/-/jobs", "queues/-/messages?q=payment-7", "queues/-/messages?q=bank&by=cause",
			"queues/payments/diagnosis", "queues/payments/history", "queues/reminders/calendar?span=DAY",
			"queues/payments/keys", "queues/payments/check", "queues/payments/limits", "queues/payments/causes",
			"queues/payments/running", "queues/payments/bundles", "queues/payments/jobs", "queues/reports/recurring",
			"queues/payments/messages?state=DEAD", "queues/payments/messages?tag=customer-1",
			"queues/payments/messages?reason=FAILED", "queues/payments/messages/payment-7", "queues/quotes",
			"queues/quotes/messages?state=READY", "queues/quotes/diagnosis", "locks", "locks/report");

	private static RedisServer shop;

	private static RedisServer billing;

	private static Console console;

	@BeforeAll
	static void start() throws Exception {
		shop = RedisServer.start();
		billing = RedisServer.start();
		StoppedApplication.leaveIn(shop);
		StoppedApplication.leaveIn(billing);
		addUserOfTheGuide(billing);
		shop.command("CONFIG", "RESETSTAT");
		console = Console.start("shop.url=" + shop.uri(), "billing.host=" + billing.host(),
				"billing.port=" + billing.port(), "billing.username=console", "billing.password=change-me",
				"away.url=redis://me:geheim@localhost:1");
		for (String source : List.of("shop", "billing")) {
			await().ignoreExceptions().until(() -> console.isConnected(source));
		}
	}

	static void addUserOfTheGuide(RedisServer server) throws IOException {
		String user = Files.readAllLines(GUIDE)
			.stream()
			.filter((line) -> line.startsWith("user console "))
			.findFirst()
			.orElseThrow();
		List<String> command = new ArrayList<>(List.of("ACL", "SETUSER"));
		command.addAll(List.of(user.substring("user ".length()).split(" ")));
		server.command(command.toArray(String[]::new));
	}

	@AfterAll
	static void stop() {
		console.close();
		shop.close();
		billing.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "shop", "billing" })
	void whatAStoppedApplicationLeftIsShown(String source) throws Exception {
		JsonNode list = console.json(source + "/queues?sort=NAME");
		assertThat(list.path("queues").valueStream().map((row) -> row.path("queue").asString())).contains("orders",
				"payments", "quotes", "reminders", "reports");
		assertThat(list.path("write").asBoolean()).isFalse();
		JsonNode orders = console.json(source + "/queues/orders");
		assertThat(orders.path("diagnosis").toString()).contains("\"NO_CONSUMER\"");
		assertThat(orders.path("counts").path("ready").asInt()).isOne();
		assertThat(console.json(source + "/queues/-/instances").path("instances")).isEmpty();
		JsonNode dead = console.json(source + "/queues/payments/messages?state=DEAD").path("messages");
		assertThat(dead.valueStream().map((row) -> row.path("id").asString())).containsExactly("payment-7");
		JsonNode found = console.json(source + "/queues/-/messages?q=bank&by=cause").path("messages");
		assertThat(found.valueStream().map((row) -> row.path("queue").asString())).containsExactly("payments");
		JsonNode calendar = console.json(source + "/queues/reminders/calendar?span=DAY");
		assertThat(calendar.path("bars").valueStream().mapToInt((bar) -> bar.path("due").asInt()).sum()).isOne();
		JsonNode recurring = console.json(source + "/queues/-/recurring").path("recurring");
		assertThat(recurring.valueStream().map((row) -> row.path("name").asString())).containsExactly("nightly");
		JsonNode status = console.json(source + "/queues/-/status");
		assertThat(status.path("redis").path("answers").asBoolean()).isTrue();
		assertThat(status.path("dead").asInt()).isPositive();
		assertThat(status.path("states").path("STOPPED").asInt()).isPositive();
	}

	@ParameterizedTest
	@ValueSource(strings = { "shop", "billing" })
	void payloadsAreHiddenAsOnThePage(String source) throws Exception {
		assertThat(console.get(source + "/queues/payments/messages/payment-7").body()).contains("payment-7")
			.doesNotContain("geheim", "amount");
		assertThat(console.json(source + "/redelay/config").path("payloads").asBoolean()).isFalse();
	}

	@Test
	void noReadChangesAnythingInRedis() throws Exception {
		Object before = shop.command("KEYS", "*");
		for (String read : READS) {
			HttpResponse<String> response = console.get("shop/" + read);
			assertThat(response.statusCode()).as("%s: %s", read, response.body()).isEqualTo(200);
		}
		assertThat(shop.command("KEYS", "*")).asInstanceOf(InstanceOfAssertFactories.LIST)
			.containsExactlyInAnyOrderElementsOf((List<?>) before);
		Set<String> commands = Pattern.compile("cmdstat_([a-z|]+):")
			.matcher(String.valueOf(shop.command("INFO", "commandstats")))
			.results()
			.map((MatchResult command) -> command.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
		commands.removeAll(rights());
		assertThat(commands).as("what the user of the guide may not, and this test does")
			.containsExactlyInAnyOrder("config|resetstat", "keys");
	}

	/**
	 * The commands of the line of the guide.
	 */
	private static Set<String> rights() throws IOException {
		String user = Files.readString(GUIDE)
			.lines()
			.filter((line) -> line.startsWith("user console "))
			.findFirst()
			.orElseThrow();
		return Pattern.compile(" \\+(\\S+)")
			.matcher(user)
			.results()
			.map((right) -> right.group(1))
			.collect(Collectors.toSet());
	}

	@Test
	void aUserWhoMayOnlyReadIsEnough() throws Exception {
		for (String read : READS) {
			HttpResponse<String> response = console.get("billing/" + read);
			assertThat(response.statusCode()).as("%s: %s", read, response.body()).isEqualTo(200);
		}
		assertThat(billing.command("ACL", "LOG")).asString().isEqualTo("[]");
	}

	@ParameterizedTest
	@CsvSource({ "POST, shop/queues/orders/pause", "POST, shop/queues/payments/jobs", "POST, shop/queues/orders/limits",
			"POST, shop/queues/payments/messages/payment-7/redrive", "DELETE, shop/queues/orders?confirm=orders",
			"DELETE, shop/queues/payments/messages/payment-7", "PUT, shop/queues/orders", "PATCH, shop/queues/orders",
			"POST, shop/locks/report", "POST, away/queues/orders/pause", "POST, shop/redelay", "POST, -/sources" })
	void whatIsNoReadIsRefused(String method, String path) throws Exception {
		HttpResponse<String> refused = console.send(method, path, "Content-Type", "application/json");
		assertThat(refused.statusCode()).isEqualTo(405);
		assertThat(refused.headers().firstValue("Allow")).contains("GET, HEAD, OPTIONS");
		assertThat(refused.body()).contains("\"error\":\"read-only\"", "The console only reads");
		assertThat(console.json("shop/queues/orders").path("counts").path("ready").asInt()).isOne();
		assertThat(console.json("shop/queues/payments").path("counts").path("dead").asInt()).isOne();
	}

	@Test
	void eachSourceHasThePage() throws Exception {
		for (String source : List.of("shop", "billing", "away")) {
			assertThat(console.get(source + "/redelay").body()).contains("src=\"redelay/app.js\"");
			JsonNode config = console.json(source + "/redelay/config");
			assertThat(config.path("source").asString()).isEqualTo(source);
			assertThat(config.path("queues").asString()).isEqualTo("queues");
			assertThat(config.path("write").asBoolean()).isFalse();
			assertThat(config.path("overview").asString()).isEqualTo("../");
			assertThat(config.path("sources").valueStream().map((each) -> each.path("page").asString()))
				.containsExactly("../away/redelay", "../billing/redelay", "../shop/redelay");
		}
		HttpResponse<String> script = console.get("shop/redelay/sources.js");
		assertThat(script.headers().firstValue("Content-Type").orElse("")).startsWith("text/javascript");
		assertThat(script.headers().firstValue("Cache-Control")).contains("no-cache");
		assertThat(console.get("shop/redelay/config").headers().firstValue("Cache-Control").orElse(""))
			.contains("no-store");
		assertThat(console.get("shop").uri()).hasToString(console.address("shop"));
		assertThat(console.get("shop").headers().firstValue("Location")).contains("shop/redelay");
		assertThat(console.get("shop/").headers().firstValue("Location")).contains("redelay");
	}

	@Test
	void theOverviewHasItsFilesAndKnowsTheSources() throws Exception {
		HttpResponse<String> page = console.get("");
		assertThat(page.body()).contains("<title>Redelay console</title>");
		assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
		for (String file : List.of("console.js", "app.css", "theme.js", "dom.js", "icon.svg")) {
			assertThat(console.get("-/" + file).statusCode()).as(file).isEqualTo(200);
		}
		assertThat(console.json("-/sources").path("sources").valueStream().map(JsonNode::asString))
			.containsExactly("away", "billing", "shop");
	}

	@ParameterizedTest
	@ValueSource(strings = { "nothing", "nothing/", "nothing/redelay", "nothing/queues", "-/",
			"-/application.properties", "-/../application.properties", "shop/nothing", "shop/redelay/nothing.js",
			"queues", "actuator", "actuator/queues", "shop/health" })
	void nothingElseIsThere(String path) throws Exception {
		assertThat(console.get(path).statusCode()).isIn(400, 404);
	}

	@Test
	void aSourceThatIsAwaySaysWhyAndKeepsItsSecrets() throws Exception {
		await()
			.untilAsserted(() -> assertThat(console.get("away/queues/-/status").body()).contains("onnection refused"));
		HttpResponse<String> status = console.get("away/queues/-/status");
		assertThat(status.statusCode()).isEqualTo(503);
		assertThat(status.body()).contains("\"unavailable\"", "The Redis of the source 'away' is not connected")
			.doesNotContain("geheim");
	}

}
