#!/bin/sh
# Inputs of seven upstreams of SPEC's programs, and the compiler itself: inputs-upstreams.sh DIRECTORY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
examples=/usr/share/doc/hmmer2/examples
cd "$1"
gcc -E "$here/belief.c" -o source.i
ln -sf "$(gcc -print-prog-name=cc1)" cc1
seq 1 250000 > numbers.txt
zcat -f "$examples/fn3.hmm"* > model.hmm
for copy in 1 2 3; do
    zcat -f "$examples"/titin.fa* | sed "s/^>/>$copy/"
done > sequences.fa
{ printf 'boardsize 9\n'; for move in 1 2 3 4 5 6 7 8; do printf 'genmove black\ngenmove white\n'; done; printf 'quit\n'; } > gnugo.in
{ echo '<rows>'; seq 1 4000 | awk '{ printf "<row kind=\"k%d\" value=\"%d\">text %d</row>\n", $1 % 17, ($1 * 7919) % 4099, $1 }'; echo '</rows>'; } > rows.xml
cat > rows.xsl <<'END'
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:key name="kinds" match="row" use="@kind"/>
<xsl:template match="/"><rows><xsl:for-each select="//row"><xsl:sort select="@value" data-type="number"/>
<row><xsl:value-of select="."/>, <xsl:value-of select="count(key('kinds', @kind))"/></row></xsl:for-each></rows></xsl:template>
</xsl:stylesheet>
END
for command in perl bzip2 gcc hmmer xalan libquantum; do
    : > "$command.in"
done
