package io.redelay.benchmarks.chart;

import java.awt.Dimension;
import java.awt.Font;
import java.awt.geom.Rectangle2D;
import java.io.StringWriter;
import java.util.Locale;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import org.apache.batik.svggen.SVGColor;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.apache.batik.svggen.SVGGraphics2DIOException;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.Plot;
import org.jfree.chart.text.TextUtils;
import org.jfree.chart.title.TextTitle;
import org.jfree.chart.ui.HorizontalAlignment;
import org.jfree.chart.ui.RectangleInsets;
import org.w3c.dom.Document;
import org.w3c.dom.Element;

/**
 * Writes a chart as SVG, which follows the reader's preference of light or dark: a
 * picture on a page sees the same preference as the page.
 */
final class SvgChart {

	static final int WIDTH = 760;

	static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);

	private static final RectangleInsets PADDING = new RectangleInsets(8, 8, 8, 8);

	private static final Font HEADING = new Font(Font.SANS_SERIF, Font.BOLD, 15);

	static {
		// Otherwise what is written upwards is drawn and not written.
		TextUtils.setUseDrawRotatedStringWorkaround(false);
	}

	private SvgChart() {
	}

	/**
	 * Draws a plot below a title.
	 * @param title what it shows
	 * @param note what is to be known of it; empty for nothing
	 * @param plot the plot
	 * @param legend whether the names of its series stand below it
	 * @param height how high the picture is
	 * @return the text of a file of SVG
	 */
	static String draw(String title, String note, Plot plot, boolean legend, int height) {
		JFreeChart chart = new JFreeChart(title, HEADING, plot, legend);
		chart.setBackgroundPaint(Colour.PAPER.light());
		chart.setPadding(PADDING);
		plot.setBackgroundPaint(null);
		plot.setOutlineVisible(false);
		chart.getTitle().setPaint(Colour.INK.light());
		chart.getTitle().setHorizontalAlignment(HorizontalAlignment.LEFT);
		if (!note.isEmpty()) {
			TextTitle subtitle = new TextTitle(note, TEXT);
			subtitle.setPaint(Colour.NOTE.light());
			subtitle.setHorizontalAlignment(HorizontalAlignment.LEFT);
			chart.addSubtitle(0, subtitle);
		}
		if (legend) {
			chart.getLegend().setItemFont(TEXT);
			chart.getLegend().setItemPaint(Colour.INK.light());
			chart.getLegend().setBackgroundPaint(null);
			chart.getLegend().setFrame(BlockBorder.NONE);
		}
		return svg(title, chart, height);
	}

	private static String svg(String title, JFreeChart chart, int height) {
		Document document = document();
		SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
		context.setComment(null);
		SVGGraphics2D graphics = new SVGGraphics2D(context, false);
		graphics.setSVGCanvasSize(new Dimension(WIDTH, height));
		chart.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, height));
		Element root = graphics.getRoot();
		root.setAttribute("viewBox", "0 0 %d %d".formatted(WIDTH, height));
		root.setAttribute("role", "img");
		root.insertBefore(element(document, "style", dark(context)), root.getFirstChild());
		root.insertBefore(element(document, "title", title), root.getFirstChild());
		StringWriter text = new StringWriter();
		try {
			graphics.stream(root, text);
		}
		catch (SVGGraphics2DIOException ex) {
			throw new IllegalStateException("Cannot write the chart '" + title + "'", ex);
		}
		return text.toString();
	}

	/**
	 * A rule for each colour, which names it as Batik writes it.
	 */
	private static String dark(SVGGeneratorContext context) {
		StringBuilder rules = new StringBuilder("@media (prefers-color-scheme: dark) {\n");
		for (Colour colour : Colour.values()) {
			String light = SVGColor.toSVG(colour.light(), context).getPaintValue();
			for (String attribute : new String[] { "fill", "stroke" }) {
				rules.append(String.format(Locale.ROOT, "[%1$s=\"%2$s\"] { %1$s: %3$s }%n", attribute, light,
						colour.dark()));
			}
		}
		return rules.append("}\n").toString();
	}

	private static Element element(Document document, String name, String text) {
		Element element = document.createElementNS(SVGGraphics2D.SVG_NAMESPACE_URI, name);
		element.setTextContent(text);
		return element;
	}

	private static Document document() {
		try {
			return DocumentBuilderFactory.newDefaultNSInstance()
				.newDocumentBuilder()
				.getDOMImplementation()
				.createDocument(SVGGraphics2D.SVG_NAMESPACE_URI, "svg", null);
		}
		catch (ParserConfigurationException ex) {
			throw new IllegalStateException("The JDK has no parser of XML", ex);
		}
	}

}
