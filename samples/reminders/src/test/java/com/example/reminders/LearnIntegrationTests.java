package com.example.reminders;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.redelay.testing.EmbeddedRedis;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

/**
 * The commands of the tutorial, run as they stand there but for the port, print what it
 * says, and bring what it says into the log.
 */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@EmbeddedRedis
@ExtendWith(OutputCaptureExtension.class)
class LearnIntegrationTests {

	private static final Path PAGE = Path.of("../../docs/src/docs/asciidoc/learn.adoc");

	private static final Pattern BLOCK = Pattern
		.compile("(?m)^(\\[source,shell]|\\.It prints|\\.In the log)[^\\n]*\\n----\\n(.*?)\\n----$", Pattern.DOTALL);

	@LocalServerPort
	private int port;

	@BeforeAll
	static void lookForTheProgramsThatTheCommandsNeed() {
		for (String program : List.of("bash", "curl")) {
			assumeThat(Path.of("/usr/bin", program)).exists();
		}
	}

	@Test
	void theCommandsOfTheTutorialDoWhatItSays(CapturedOutput log) throws Exception {
		List<String> commands = new ArrayList<>();
		String printed = "";
		int read = 0;
		for (MatchResult block : BLOCK.matcher(Files.readString(PAGE)).results().toList()) {
			String text = block.group(2);
			if (block.group(1).equals(".It prints")) {
				assertThat(printed)
					.matches(Pattern.compile(Pattern.quote(text).replace("…", "\\E.*\\Q"), Pattern.DOTALL));
			}
			else if (block.group(1).equals(".In the log")) {
				int from = read;
				await().atMost(Duration.ofMinutes(1)).until(() -> log.getAll().indexOf(text, from) >= 0);
				read = log.getAll().indexOf(text, from) + text.length();
			}
			else if (text.startsWith("curl ")) {
				printed = run(text.replace("localhost:8080", "localhost:" + this.port));
				commands.add(text);
			}
		}
		assertThat(commands).hasSizeGreaterThan(6);
	}

	private static String run(String command) throws IOException, InterruptedException {
		Process process = new ProcessBuilder("bash", "-c",
				command.replace("curl ", "curl --silent --show-error --fail "))
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
		assertThat(process.waitFor(1, TimeUnit.MINUTES)).as(command).isTrue();
		assertThat(process.exitValue()).as(command).isZero();
		return printed;
	}

}
