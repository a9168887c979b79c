package io.redelay.template;

import java.util.Arrays;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.convert.ConversionService;
import org.springframework.core.convert.support.DefaultConversionService;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeCode;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * Parses expressions once, and rejects invalid ones. A bare name is rewritten to a
 * variable, which can be compiled.
 * <p>
 * Safe for use by many threads.
 *
 * @since 0.1.0
 */
public final class ExpressionReader {

	private final SpelExpressionParser parser;

	private final ConfigurableBeanFactory beans;

	private final StandardEvaluationContext context;

	/**
	 * Creates a reader of expressions that are compiled when they are used often.
	 * @param beans the beans that expressions may refer to
	 */
	public ExpressionReader(ConfigurableBeanFactory beans) {
		this(beans, new SpelExpressionParser(
				new SpelParserConfiguration(SpelCompilerMode.MIXED, beans.getBeanClassLoader())));
	}

	/**
	 * Creates a reader of expressions.
	 * @param beans the beans that expressions may refer to
	 * @param parser parses
	 */
	public ExpressionReader(ConfigurableBeanFactory beans, SpelExpressionParser parser) {
		this.parser = parser;
		this.beans = beans;
		this.context = new StandardEvaluationContext();
		this.context.setTypeLocator(new StandardTypeLocator(beans.getBeanClassLoader()));
		this.context.setTypeConverter(new StandardTypeConverter(() -> {
			ConversionService conversionService = beans.getConversionService();
			return (conversionService != null) ? conversionService : DefaultConversionService.getSharedInstance();
		}));
		this.context.setBeanResolver(new BeanFactoryResolver(beans));
	}

	/**
	 * Returns the context that all calls share.
	 * @return the shared context, to be changed before the first call at most
	 */
	public StandardEvaluationContext sharedContext() {
		return this.context;
	}

	/**
	 * Parses a template.
	 * @param <C> the context in which expressions are evaluated
	 * @param text the text, with expressions in {@code #{…}}
	 * @param name the name of the template in the messages of exceptions
	 * @param harm the effect of a blank part: the end of such a message
	 * @param names the names that expressions may use
	 * @return the template
	 * @throws ParseException if an expression cannot be parsed
	 */
	public <C extends CallContext> TextTemplate<C> template(String text, String name, String harm,
			ExpressionNames<C> names) throws ParseException {
		Expression whole = this.parser.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
		return TextTemplate.of(whole, name, harm, names, (expression) -> {
			SpelExpression read = read(expression, names);
			return new TextTemplate.Part<>(expression.getExpressionString(), read,
					(read.getAST() instanceof VariableReference variable)
							? names.direct(variable.toStringAST().substring(1)) : null);
		});
	}

	/**
	 * Parses an expression.
	 * @param text the expression, without marks around it
	 * @param names the names that it may use
	 * @return the expression
	 * @throws ParseException if it cannot be parsed
	 */
	public SpelExpression expression(String text, ExpressionNames<?> names) throws ParseException {
		return read(this.parser.parseRaw(text), names);
	}

	private SpelExpression read(SpelExpression expression, ExpressionNames<?> names) throws ParseException {
		String text = expression.getExpressionString();
		Visitor visitor = new Visitor(text, names);
		visitor.visit(expression.getAST(), false);
		StringBuilder rewritten = new StringBuilder(text);
		for (int position : visitor.bare.descendingSet()) {
			rewritten.insert(position, '#');
		}
		return this.parser.parseRaw(rewritten.toString());
	}

	/**
	 * Visits the nodes of an expression.
	 */
	private final class Visitor {

		private final String text;

		private final ExpressionNames<?> names;

		/**
		 * The positions of bare names that are rewritten to variables.
		 */
		private final TreeSet<Integer> bare = new TreeSet<>();

		Visitor(String text, ExpressionNames<?> names) {
			this.text = text;
			this.names = names;
		}

		/**
		 * Visits a node.
		 * @param node the node
		 * @param element whether names that are unknown are properties of an element, as
		 * inside of a selection
		 */
		void visit(SpelNode node, boolean element) {
			if (node instanceof PropertyOrFieldReference property) {
				name(property, element);
			}
			else if (node instanceof VariableReference) {
				variable(node.toStringAST().substring(1));
			}
			else if (node instanceof FunctionReference) {
				throw invalid("there is no function " + node.toStringAST(), "Call a static method: #{T(a.Type).m()}");
			}
			else if (node instanceof BeanReference) {
				bean(node.toStringAST());
			}
			else if (node instanceof TypeReference || node instanceof ConstructorReference) {
				type(node.getChild(0).toStringAST());
			}
			else if (node instanceof CompoundExpression) {
				staticCall(node.getChild(0), node.getChild(1));
			}
			children(node, element || node instanceof Selection || node instanceof Projection);
		}

		private void children(SpelNode node, boolean element) {
			for (int i = 0; i < node.getChildCount(); i++) {
				SpelNode child = node.getChild(i);
				boolean follows = node instanceof CompoundExpression && i > 0;
				boolean key = node instanceof InlineMap && i % 2 == 0;
				if (!((follows || key) && child instanceof PropertyOrFieldReference)) {
					visit(child, element);
				}
			}
		}

		private void name(PropertyOrFieldReference property, boolean element) {
			String name = property.getName();
			if (element && !this.names.isGiven(name)) {
				return;
			}
			if (!this.names.isGiven(name) && !this.names.isRoot(name)) {
				throw this.names.unknown(this.text, "'" + name + "'");
			}
			this.bare.add(property.getStartPosition());
		}

		private void variable(String name) {
			if (!this.names.isGiven(name) && !this.names.isRoot(name) && !"root".equals(name) && !"this".equals(name)) {
				throw this.names.unknown(this.text, "'#" + name + "'");
			}
		}

		private void bean(String reference) {
			String name = reference.replaceAll("^[@&]+'?|'$", "");
			if (!ExpressionReader.this.beans.containsBean(name)) {
				throw invalid("there is no bean '" + name + "'", "Define the bean, or correct its name");
			}
		}

		/**
		 * Finds a type.
		 * @return the type, or {@code null} if it is a primitive one
		 */
		private @Nullable Class<?> type(String name) {
			if (TypeCode.forName(name) != TypeCode.OBJECT) {
				return null;
			}
			try {
				return ExpressionReader.this.context.getTypeLocator().findType(name);
			}
			catch (EvaluationException ex) {
				throw invalid("there is no type " + name, "Write the type with its package");
			}
		}

		/**
		 * Finds the method that is called on a type. Methods of beans are not checked:
		 * their types are not known before the beans exist.
		 */
		private void staticCall(SpelNode on, SpelNode call) {
			if (!(on instanceof TypeReference) || !(call instanceof MethodReference method)) {
				return;
			}
			String name = on.getChild(0).toStringAST();
			Class<?> type = type(name);
			if (type != null && !hasMethod(type, method) && !hasMethod(Class.class, method)) {
				throw invalid("the type " + name + " has no method '" + method.getName() + "'",
						"Call one of its static methods");
			}
		}

		private static boolean hasMethod(Class<?> type, MethodReference method) {
			return Arrays.stream(type.getMethods()).anyMatch((each) -> each.getName().equals(method.getName()));
		}

		private RuntimeException invalid(String problem, String mend) {
			return this.names.invalid("in #{" + this.text + "} " + problem, mend);
		}

	}

}
