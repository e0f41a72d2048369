package dev.tigris.verify.tidy;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.NewArrayTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.PackageTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import dev.tigris.verify.tidy.Passage.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.lang.model.element.Modifier;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/// The English in Java sources: Javadoc and string literals, as the compiler's own parser sees
/// them. Literals that are joined by `+` are one passage.
final class JavaPassages extends TreePathScanner<Void, Kind> {
  private static final Pattern FAILURE = Pattern.compile(".*(Exception|Error|Refusal)");
  private static final Pattern REPORTING = Pattern.compile("log|warn|warning|error|fail|refuse");
  private static final Pattern COMMAND_LINE = Pattern.compile("Command|Option|Parameters|ArgGroup");
  private static final Pattern SENTENCE_END = Pattern.compile("(^|[.:\\n])\\s*\\z");
  private static final Pattern FIRST_SENTENCE =
      Pattern.compile("\\A(.*?(?<!\\b(?:e\\.g|i\\.e))[.!?])(?=\\s|\\z).*", Pattern.DOTALL);
  private static final Pattern PARAGRAPH_END = Pattern.compile("\\n\\s*(\\n|@|```)");

  private final Trees trees;
  private final CompilationUnitTree unit;
  private final Path file;
  private final List<Passage> passages = new ArrayList<>();

  private JavaPassages(Trees trees, CompilationUnitTree unit) {
    this.trees = trees;
    this.unit = unit;
    file = Path.of(unit.getSourceFile().toUri());
  }

  /// Everything that stands in these sources.
  static List<Passage> of(List<Path> sources) throws IOException {
    var passages = new ArrayList<Passage>();
    if (sources.isEmpty()) {
      return passages;
    }
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      JavacTask task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  diagnostic -> {},
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources));
      Trees trees = Trees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        var scanner = new JavaPassages(trees, unit);
        scanner.scan(new TreePath(unit), Kind.LITERAL);
        passages.addAll(scanner.passages);
      }
    }
    return passages;
  }

  @Override
  public Void visitPackage(PackageTree tree, Kind kind) {
    addJavadoc(tree, true);
    return super.visitPackage(tree, kind);
  }

  @Override
  public Void visitClass(ClassTree tree, Kind kind) {
    addJavadoc(tree, isPublic(getCurrentPath()));
    return super.visitClass(tree, Kind.LITERAL);
  }

  @Override
  public Void visitMethod(MethodTree tree, Kind kind) {
    addJavadoc(tree, isPublic(getCurrentPath()));
    return super.visitMethod(tree, Kind.LITERAL);
  }

  @Override
  public Void visitVariable(VariableTree tree, Kind kind) {
    addJavadoc(tree, false);
    return super.visitVariable(tree, kind);
  }

  @Override
  public Void visitAnnotation(AnnotationTree tree, Kind kind) {
    boolean shown = COMMAND_LINE.matcher(simpleName(tree.getAnnotationType())).matches();
    return super.visitAnnotation(tree, shown ? Kind.MESSAGE : kind);
  }

  /// The array of a picocli annotation: its elements are the lines of one text, except for a list
  /// of exit codes.
  @Override
  public Void visitNewArray(NewArrayTree tree, Kind kind) {
    boolean isText =
        kind == Kind.MESSAGE
            && getCurrentPath().getParentPath().getLeaf() instanceof AssignmentTree assignment
            && !simpleName(assignment.getVariable()).startsWith("exitCode");
    if (!isText) {
      return super.visitNewArray(tree, kind);
    }
    var joined = new StringBuilder();
    for (ExpressionTree element : tree.getInitializers()) {
      boolean paragraphEnds = joined.isEmpty() || SENTENCE_END.matcher(joined).find();
      joined.append(paragraphEnds ? "\n" : " ");
      join(element, joined);
    }
    add(tree, kind, joined.toString());
    return null;
  }

  @Override
  public Void visitNewClass(NewClassTree tree, Kind kind) {
    boolean thrown = FAILURE.matcher(simpleName(tree.getIdentifier())).matches();
    return super.visitNewClass(tree, thrown ? Kind.MESSAGE : kind);
  }

  @Override
  public Void visitMethodInvocation(MethodInvocationTree tree, Kind kind) {
    boolean reported = REPORTING.matcher(simpleName(tree.getMethodSelect())).matches();
    return super.visitMethodInvocation(tree, reported ? Kind.MESSAGE : kind);
  }

  @Override
  public Void visitBinary(BinaryTree tree, Kind kind) {
    var joined = new StringBuilder();
    if (tree.getKind() != Tree.Kind.PLUS || !join(tree, joined)) {
      return super.visitBinary(tree, kind);
    }
    add(tree, kind, joined.toString());
    return scanValues(tree, kind);
  }

  @Override
  public Void visitLiteral(LiteralTree tree, Kind kind) {
    if (tree.getValue() instanceof String text) {
      add(tree, kind, text);
    }
    return null;
  }

  /// Appends what an expression gives; tells whether a literal is in it.
  private static boolean join(ExpressionTree tree, StringBuilder joined) {
    if (tree instanceof BinaryTree sum && sum.getKind() == Tree.Kind.PLUS) {
      boolean left = join(sum.getLeftOperand(), joined);
      boolean right = join(sum.getRightOperand(), joined);
      return left || right;
    }
    if (tree instanceof LiteralTree literal && literal.getValue() instanceof String text) {
      joined.append(text);
      return true;
    }
    joined.append(Passage.VALUE);
    return false;
  }

  /// Looks into what is joined, except for the literals themselves.
  private Void scanValues(ExpressionTree tree, Kind kind) {
    if (tree instanceof BinaryTree sum && sum.getKind() == Tree.Kind.PLUS) {
      scanValues(sum.getLeftOperand(), kind);
      return scanValues(sum.getRightOperand(), kind);
    }
    return tree instanceof LiteralTree ? null : scan(tree, kind);
  }

  private void addJavadoc(Tree tree, boolean isPublic) {
    String text = trees.getDocComment(getCurrentPath());
    if (text == null || text.isBlank()) {
      return;
    }
    add(tree, Kind.JAVADOC, text);
    if (isPublic) {
      add(tree, Kind.FIRST_SENTENCE, firstSentence(text));
    }
  }

  private static String firstSentence(String javadoc) {
    String paragraph = PARAGRAPH_END.split(javadoc.strip(), 2)[0];
    return FIRST_SENTENCE.matcher(paragraph).replaceFirst("$1").replaceAll("\\s+", " ");
  }

  private void add(Tree tree, Kind kind, String text) {
    long position = trees.getSourcePositions().getStartPosition(unit, tree);
    long line = position < 0 ? 1 : unit.getLineMap().getLineNumber(position);
    passages.add(new Passage(file, line, kind, text));
  }

  /// Whether users of the package see a type or a method: it and all around it are public or
  /// protected, or it is a member of an interface and not private.
  private static boolean isPublic(TreePath path) {
    for (TreePath at = path; at != null; at = at.getParentPath()) {
      ModifiersTree modifiers =
          switch (at.getLeaf()) {
            case ClassTree type -> type.getModifiers();
            case MethodTree method -> method.getModifiers();
            default -> null;
          };
      if (modifiers != null
          && !modifiers.getFlags().contains(Modifier.PUBLIC)
          && !modifiers.getFlags().contains(Modifier.PROTECTED)
          && !(isMemberOfInterface(at) && !modifiers.getFlags().contains(Modifier.PRIVATE))) {
        return false;
      }
    }
    return true;
  }

  private static boolean isMemberOfInterface(TreePath path) {
    return path.getParentPath().getLeaf() instanceof ClassTree around
        && (around.getKind() == Tree.Kind.INTERFACE
            || around.getKind() == Tree.Kind.ANNOTATION_TYPE);
  }

  private static String simpleName(Tree tree) {
    Tree bare = tree instanceof ParenthesizedTree inner ? inner.getExpression() : tree;
    String name = bare.toString().replaceFirst("<.*", "");
    return name.substring(name.lastIndexOf('.') + 1);
  }
}
