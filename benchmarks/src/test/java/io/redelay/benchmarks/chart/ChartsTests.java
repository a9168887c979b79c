package io.redelay.benchmarks.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

import static org.assertj.core.api.Assertions.assertThat;

class ChartsTests {

	private static final String MACHINE = "\"at\":\"2026-11-20T00:00:00Z\",\"system\":\"Linux\",\"processors\":2,"
			+ "\"load\":0.5,\"java\":\"17\",\"redis\":\"7.0.15\"";

	@TempDir
	Path folder;

	@BeforeEach
	void writeLines() throws IOException {
		lines("peers", "{%s,\"size\":1000,\"concurrency\":8}".formatted(MACHINE), peer(1, "redelay", 1500),
				peer(2, "redelay", 2500), peer(3, "redelay", 2000), peer(1, "limit", 3000));
		lines("growth", "{%s}".formatted(MACHINE), growth(1000, 470, 1), growth(1000, 480, 2), growth(10_000, 500, 1));
		lines("soak", "{%s,\"perSecond\":9952,\"minutes\":10}".formatted(MACHINE), soak(30, 20_000_000),
				soak(60, 21_000_000), soak(90, 20_500_000));
	}

	@Test
	void aChartOfBarsHasNamesAndMedians() throws Exception {
		assertThat(texts("peers-drain")).contains("redelay", "limit", "2,000", "3,000").doesNotContain("1,500");
	}

	@Test
	void aChartOfLinesHasItsAxes() throws Exception {
		assertThat(texts("growth")).contains("waiting", "messages", "1,000", "10,000");
	}

	@Test
	void aChartOfALongRunHasAllThatMayGrow() throws Exception {
		assertThat(texts("soak")).contains("Threads", "Keys of Redis", "minutes");
	}

	@Test
	void eachColourOfAChartHasOneForDarkPages() throws Exception {
		for (String name : List.of("peers-drain", "growth", "soak")) {
			String style = draw(name).getElementsByTagName("style").item(0).getTextContent();
			NodeList all = draw(name).getElementsByTagName("*");
			for (int i = 1; i < all.getLength(); i++) {
				for (String attribute : List.of("fill", "stroke")) {
					Node value = all.item(i).getAttributes().getNamedItem(attribute);
					if (value != null && !"none".equals(value.getNodeValue())) {
						assertThat(style).as(name).contains("[%s=\"%s\"]".formatted(attribute, value.getNodeValue()));
					}
				}
			}
		}
	}

	@Test
	void aChartOfSomethingThatIsNotMeasuredAnyMoreIsRemoved() throws Exception {
		Path old = this.folder.resolve("peers-old.svg");
		Files.createFile(old);
		draw("peers-drain");
		assertThat(old).doesNotExist();
	}

	private List<String> texts(String name) throws Exception {
		NodeList texts = draw(name).getElementsByTagName("text");
		return IntStream.range(0, texts.getLength()).mapToObj((i) -> texts.item(i).getTextContent().strip()).toList();
	}

	private Document draw(String name) throws Exception {
		Charts.main("--source=" + this.folder, "--charts=" + this.folder, "--tables=" + this.folder);
		DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
		factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
		return factory.newDocumentBuilder().parse(this.folder.resolve(name + ".svg").toFile());
	}

	private void lines(String name, String... lines) throws IOException {
		Files.write(this.folder.resolve(name + ".jsonl"), List.of(lines));
	}

	private static String peer(int round, String contender, int perSecond) {
		return "{\"round\":%d,\"item\":\"drain\",\"title\":\"Drain\",\"contender\":\"%s\",\"figures\":{\"PER_SECOND\":%d}}"
			.formatted(round, contender, perSecond);
	}

	private static String growth(int messages, int micros, int round) {
		return "{\"backlog\":\"waiting\",\"messages\":%d,\"again\":false,\"round\":%d,\"micros\":%d,\"bytes\":300}"
			.formatted(messages, round, micros);
	}

	private static String soak(int seconds, int heap) {
		return ("{\"seconds\":%d,\"heap\":%d,\"threads\":20,\"handlers\":10,\"clients\":4,\"keys\":11,\"memory\":3000000,"
				+ "\"backlog\":0,\"handled\":1000,\"p99\":2.5}")
			.formatted(seconds, heap);
	}

}
