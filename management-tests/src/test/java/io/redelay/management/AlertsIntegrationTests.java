package io.redelay.management;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Whether Prometheus takes what is in {@code docs/monitoring}, and whether each alert
 * fires when it should. That needs promtool, which Debian's package {@code prometheus}
 * has.
 */
class AlertsIntegrationTests {

	private static final Path DOCS = Path.of("..", "docs", "monitoring");

	@ParameterizedTest
	@ValueSource(strings = { "check config prometheus.yml", "check rules alerts.yml", "test rules alerts-tests.yml" })
	void prometheusTakes(String command) throws IOException, InterruptedException {
		assumeTrue(isInstalled(), "There is no promtool on the PATH (apt-get install prometheus)");
		Process process = new ProcessBuilder(
				Stream.concat(Stream.of("promtool"), Stream.of(command.split(" "))).toList())
			.directory(DOCS.toFile())
			.redirectErrorStream(true)
			.start();
		String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
		assertThat(process.exitValue()).as(output).isZero();
	}

	@Test
	void eachAlertIsTested() throws IOException {
		List<String> alerts = maps(maps(read("alerts.yml"), "groups"), "rules").stream()
			.map((rule) -> String.valueOf(rule.get("alert")))
			.toList();
		List<Map<String, Object>> tests = maps(maps(read("alerts-tests.yml"), "tests"), "alert_rule_test");
		Map<String, List<Boolean>> fires = tests.stream()
			.collect(Collectors.groupingBy((test) -> String.valueOf(test.get("alertname")),
					Collectors.mapping((test) -> !((List<?>) test.get("exp_alerts")).isEmpty(), Collectors.toList())));
		assertThat(fires).containsOnlyKeys(alerts);
		assertThat(fires.values()).allSatisfy((each) -> assertThat(each).contains(true));
	}

	private static boolean isInstalled() {
		return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
			.anyMatch((folder) -> Files.isExecutable(Path.of(folder, "promtool")));
	}

	private static List<Map<String, Object>> read(String file) throws IOException {
		return List.of(new Yaml().<Map<String, Object>>load(Files.readString(DOCS.resolve(file))));
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> maps(List<Map<String, Object>> all, String name) {
		return all.stream().flatMap((each) -> ((List<Map<String, Object>>) each.get(name)).stream()).toList();
	}

}
